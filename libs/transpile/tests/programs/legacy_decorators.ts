// experimentalDecorators: order of evaluation and application, descriptors, parameters, replaced classes.
const log: string[] = [];
function dec(name: string): any {
  log.push("eval " + name);
  return (target: any, key?: string | symbol, descriptor?: any) => {
    const where = typeof target === "function" ? "static " + target.name : "proto";
    const third = typeof descriptor === "number" ? "#" + descriptor : descriptor === undefined ? "-" : Object.keys(descriptor).join("");
    log.push(`apply ${name} ${key === undefined ? "class" : String(key)} ${third}`);
  };
}
@dec("class1") @dec("class2")
class Thing {
  @dec("field") field: number = 1;
  @dec("static") static count = 2;
  constructor(@dec("ctor-param") readonly injected: string) {}
  @dec("method") method(@dec("p0") a: number, @dec("p1") b: string) { return a + b }
  @dec("getter") get value() { return this.field }
  @dec("computed") ["com" + "puted"]() {}
}
console.log(log.join("\n"));
function replace(C: any): any { return class Replaced extends C { extra = "new" } }
@replace class Old { static self = () => Old; static make() { return new Old() } }
console.log(Old.name, (new Old() as any).extra, Old.self() === Old, (Old.make() as any).extra);
function enumerable(value: boolean) { return (_t: any, _k: string, d: PropertyDescriptor) => { d.enumerable = value } }
function wrap(_t: any, _k: string, d: any) { const old = d.value; return { ...d, value(this: any, ...a: any[]) { return "<" + old.apply(this, a) + ">" } } }
class Methods { @enumerable(true) @wrap hello(n: string) { return "hi " + n } }
const keys = []; for (const k in new Methods()) keys.push(k);
console.log(keys.join(), new Methods().hello("x"));
