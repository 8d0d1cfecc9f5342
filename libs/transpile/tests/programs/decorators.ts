// Standard decorators: order, contexts, replacement, initialisers, private members, names, metadata.
const log: string[] = [];
const flush = (title: string) => { console.log(title + ": " + log.splice(0).join(" ")) };
const at = <T>(name: string, value: T): T => { log.push(name); return value };
const trace = (name: string) => at("@" + name, (value: any, context: any): any => {
  log.push(`${name}(${context.kind},${String(context.name)},${context.static ?? "-"},${context.private ?? "-"},${typeof value})`);
  context.addInitializer(function (this: any) { log.push(`init:${name}:${typeof this}`) });
});

@trace("c1") @trace("c2")
class Order extends at("heritage", Object) {
  @trace("m") [at("key-m", "m")]() {}
  @trace("sm") static sm() {}
  @trace("f") f = at("value-f", 1);
  plain = at("value-plain", 2);
  @trace("sf") static [at("key-sf", "sf")] = at("value-sf", 3);
  static { log.push("static-block") }
  @trace("a") accessor a = at("value-a", 4);
  @trace("g") get g() { return 5 }
  @trace("s") set s(v: number) {}
  constructor() { super(); log.push("ctor") }
}
flush("define");
new Order();
flush("construct");

const add = (n: number) => (_: unknown, c: any): any => c.kind === "field" ? (v: number) => v * 10 + n
  : { init: (v: number) => v * 10 + n, get(this: any) { return "got" } };
class Initial { @add(1) @add(2) x = 1; @add(1) @add(2) accessor y = 1; @add(3) static #z = 4; static z = Initial.#z; @add(5) none?: number }
const initial = new Initial();
console.log(initial.x, initial.y, Initial.z, String(initial.none), Object.keys(initial).join());

const twice = (value: any, { kind }: any): any => kind === "class" ? undefined : function (this: any, ...a: any[]) { return value.apply(this, a) + "+" + value.apply(this, a) };
class Base { hello() { return "base" } static hello() { return "BASE" } }
class Private extends Base {
  @twice #m(x: number) { return "m" + x + super.hello() }
  @twice static #sm() { return "sm" + super.hello() }
  @twice get #g() { return "g" }
  #set = 0; @((v: any) => function (this: any, x: number) { v.call(this, x * 2) }) set #s(x: number) { this.#set = x }
  @twice *gen() { yield 1 }
  run() { this.#s = 21; return [this.#m(1), Private.#sm(), this.#g, this.#set, #m in this].join() }
  static fails() { try { (new Private() as any).#m = 1 } catch (e: any) { return e.name } }
}
console.log(new Private().run(), Private.fails());

const replaceWith = (make: (C: any) => any) => (C: any, context: any): any => { context.addInitializer(function (this: any) { log.push("this is " + this.tag) }); return make(C) };
@replaceWith((C) => class extends C { static tag = "new" })
class Replaced {
  static own = Replaced.name + ":" + (this === Replaced);
  static #secret = 42;
  static #count() { return ++Replaced.#secret }
  static reveal() { return Replaced.#count() }
  static { log.push("block", String(this === Replaced), (this as any).tag) }
  self = Replaced;
}
flush("replaced " + [Replaced.own, Object.hasOwn(Replaced, "own"), Replaced.reveal(), new Replaced().self === Replaced]);

const named = (_: any, { name }: any) => { log.push(JSON.stringify(name)) };
const anonymous = @named class {}; const object = { key: @named class {}, "two words": @named class Inner {} };
let assigned; assigned = @named class {}; const { unset = @named class {} } = {} as any;
class Fields { plain = @named class {}; static #hidden = @named class {}; static check() { return this.#hidden.name } @((): any => {}) arrow = () => {} }
flush("names " + [anonymous.name, object.key.name, object["two words"].name, assigned.name, unset.name, new Fields().plain.name, Fields.check(), new Fields().arrow.name]);

class Holder { static prefix = "p:"; static dec(this: any, value: any, c: any) { log.push("receiver " + this.prefix + c.name) } list = [Holder.dec] }
const holder = { get deep() { log.push("deep"); return Holder } };
class Receivers { @Holder.dec a() {} @holder.deep.dec b() {} @(holder["deep"].dec) c() {} }
flush("receivers");

const mark = (_: any, c: any) => { c.metadata[c.name] = c.kind };
const key: symbol = (Symbol as any).metadata ?? Symbol.for("Symbol.metadata");
class Meta { @mark a = 1; @mark b() {} }
@mark class Sub extends Meta { @mark static #c = 1; c() { return Sub.#c } }
const meta = (Sub as any)[key];
console.log(JSON.stringify(meta), Object.getPrototypeOf(meta) === (Meta as any)[key], meta.a);

for (const [title, define] of Object.entries({
  "bad result": () => { class X { @(() => 5 as any) m() {} } },
  "late": () => { let add: any; class X { @((_: any, c: any) => { add = c.addInitializer }) m() {} } add(() => {}) },
  "no function": () => { class X { @(5 as any) m() {} } },
})) try { define(); console.log(title, "passed") } catch (e: any) { console.log(title, e.name) }

class Auto { accessor plain = 1; static accessor shared = 2; accessor #hidden = 3; get hidden() { return this.#hidden } static accessor fn = () => {} }
class AutoSub extends Auto {}
console.log(Object.keys(new Auto()).length, AutoSub.shared, (AutoSub.shared = 5, Auto.shared), new Auto().hidden, Auto.fn.name);

const access: any = {};
const grab = (_: any, c: any) => { access[c.name] = c.access };
class Access { @grab field = 1; @grab #secret = 2; @grab get only() { return 3 } @grab method() {} }
const target = new Access();
access["#secret"].set(target, 9); access.field.set(target, 8);
console.log(access["#secret"].get(target), access["#secret"].has({}), target.field, Object.keys(access.only).join(), Object.keys(access.method).join(), access.field.has({ field: 0 }));

async function suspended() {
  const wait = async (n: number) => { log.push("w" + n); return (_: any, c: any) => { log.push(c.kind + n) } };
  @(await wait(1)) class A { @(await wait(2)) [await Promise.resolve("k")]() { return this } @(await wait(3)) f = 1 }
  const B = class { @(await wait(4)) m() {} };
  flush("await " + [new A().k() instanceof A, new B() instanceof B]);
}
function* yielding(): any { return class { @(yield "dec") [yield "key"] = 1 } }
const steps = yielding(); console.log(steps.next().value, steps.next((): any => (v: number) => v + 1).value, JSON.stringify(new (steps.next("k").value)()));
const loop = [1, 2].map((n) => class { @((): any => () => n) v = 0 }); console.log(loop.map((C) => new C().v).join());
await suspended();
