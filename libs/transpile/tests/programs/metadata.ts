// emitDecoratorMetadata, with a minimal Reflect.metadata.
const store = new Map<any, Map<string, any>>();
(Reflect as any).metadata = (k: string, v: any) => (t: any, p?: string) => { const m = store.get(t) ?? new Map(); store.set(t, m); m.set(k + (p ? ":" + p : ""), v) };
const show = (v: any): any => Array.isArray(v) ? v.map(show).join() : v === undefined ? "undefined" : v.name;
function d(...args: any[]): any {}
class Dep {}
interface Iface { x: number }
enum Num { A, B } enum Str { A = "a" }
@d class Service {
  @d dep!: Dep; @d iface!: Iface; @d text!: string; @d count?: number; @d list!: string[]; @d union!: string | number; @d maybe!: Dep | null;
  @d fn!: () => void; @d any!: any; @d num!: Num; @d str!: Str; @d promise!: Promise<void>; @d lit!: "a" | "b"; @d date!: Date; @d tuple!: [number];
  constructor(a: Dep, b: string, private c: Iface) {}
  @d method(a: number, b: string): Promise<void> { return Promise.resolve() }
  @d get prop(): boolean { return true }
}
const proto = store.get(Service.prototype)!;
for (const [k, v] of proto) console.log(k, show(v));
console.log([...store.get(Service)!].map(([k, v]) => k + " " + show(v)).join("; "));
