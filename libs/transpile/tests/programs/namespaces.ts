// Namespaces: exports, nesting, merging with functions, classes and enums, import aliases, type-only ones.
namespace Shapes {
  export const pi = 3;
  export function area(r: number) { return pi * r * r }
  export namespace Inner { export let deep = area(2) }
  export class Circle { constructor(public r: number) {} get area() { return area(this.r) } }
  const hidden = 1;
  export interface OnlyType { a: string }
}
namespace Shapes {
  export const more = pi + Circle.length;
  export const user = (pi: string) => ({ pi, area, later: () => Inner.deep++ });
  export namespace Inner { export const both = deep + area(1); deep = 12; ({ deep, x: deep = 13 } = { deep: 1 } as any); }
}
namespace Types { export type T = string; export interface U {} }
function merged() { return merged.value }
namespace merged { export const value = "fn+ns" }
class WithStatics {}
namespace WithStatics { export const extra = 7 }
import Alias = Shapes.Inner;
import C = Shapes.Circle;
const t: Types.T = "t";
console.log(Shapes.more, Alias.deep, new C(3).area, merged(), (WithStatics as any).extra, t);
console.log(Object.keys(Shapes).join(), Shapes.Inner.both, JSON.stringify(Shapes.user("x")), Shapes.user("").later(), Shapes.Inner.deep);
namespace X.Y { export const a = 1; export enum E { P = 5 } } namespace X.Y { export const b = a + E.P } namespace X { export const c = Y.b }
console.log(X.c);
