// Parameter properties, field semantics, overloads, abstract members, definite assignment, index signatures.
abstract class Base {
  abstract name(): string;
  protected readonly list: string[] = [];
  declare ghost: number;
  undefinedField: number;
  [key: string]: any;
  constructor(public a: number, private b = a + 1, readonly c?: string, protected override readonly d = "d") { this.list.push("base") }
  sum(): number { return this.a + this.b }
}
class Derived extends Base {
  own!: string;
  from = this.a * 2;
  constructor();
  constructor(x?: number) { super(x ?? 10); this.list.push("derived") }
  name(this: Derived) { return "derived" }
  static #count = 0;
  static next<T>(this: void, seed: T): [T, number] { return [seed, ++Derived.#count] }
}
const d = new Derived();
console.log(d.sum(), d.from, d.name(), JSON.stringify(d.list), "ghost" in d, "undefinedField" in d, "own" in d);
console.log(Object.keys(d).join());
console.log(JSON.stringify(Derived.next<string>("s")), <any>d.c, d!.a as unknown as string);
const generic = async <T,>(x: T): Promise<T> => x;
generic(5 satisfies number).then((v) => console.log("async", v));
