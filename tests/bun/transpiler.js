// Recorded from Bun 1.4.5 where the printers agree. Bun.Transpiler: what comes out runs and is free of types; scan.
let n = 0;
const t = (f) => { n++; try { const v = f(); console.log(n, typeof v === "string" ? v.trim() : JSON.stringify(v)); } catch (e) { console.log(n, "!!", e.name, e.code); } };
const T = new Bun.Transpiler({ loader: "tsx" });
t(() => T.scan('import a,{b} from "x"; import * as c from "y"; export {d} from "z"; export * from "w"; import("dyn"); import type T from "ty"; export const q=1; export default 3; a(b,c)'));
t(() => T.scanImports('import a from "x"; import {type Z} from "zz"; console.log(a)'));
t(() => T.transformSync("const a:number = 1;"));
t(() => new Bun.Transpiler().transformSync("const x = 1;\nfoo( x )", "ts"));
t(() => new Bun.Transpiler({ define: { "process.env.X": '"y"' } }).transformSync("console.log(process.env.X)"));
t(() => new Bun.Transpiler({ minifyWhitespace: true }).transformSync("const x = 1;\nfoo( x )"));
t(() => eval(`${T.transformSync("enum E { A = 4, B }; class C<T> { constructor(private x: T) {} get() { return this.x } }")}; [E.B, new C(2).get()]`));
t(() => T.transformSync("let a ="));
t(() => new Bun.Transpiler({ loader: "zz" }));
t(() => Bun.Transpiler());
// One after the other: they run on the pool.
T.transform("let x:number=1").then((v) => console.log(v.trim())).then(() => T.transform("let x =")).catch((e) => console.log(e.name));
