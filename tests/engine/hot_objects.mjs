// expected: recorded from node 25.9.0
// What may go wrong where objects of hot constructors are replaced by their fields, and steps of generators are inlined: prototypes that
// change, brands, exceptions in the middle of a constructor, objects that get out of it, other targets, realms, proxies, generators that
// are entered again. Only the results can be seen from a program.
import vm from "node:vm";
const out = []; const log = (...a) => out.push(a.join(" "));
const HOT = 3000;
// getter/setter on the prototype in the middle
class A { constructor(x) { this.a = x; this.b = x + 1; this.c = x + 2; } s() { return this.a + this.b + this.c; } }
function fa(n) { let s = 0; for (let i = 0; i < n; i++) s += new A(i).s(); return s; }
for (let k = 0; k < 4; k++) log(fa(HOT));
let seen = 0; Object.defineProperty(A.prototype, "b", { set(v) { seen += v; }, get() { return 100; }, configurable: true });
for (let k = 0; k < 4; k++) log(fa(HOT), seen);
delete A.prototype.b; for (let k = 0; k < 4; k++) log(fa(HOT), seen);
Object.defineProperty(Object.prototype, "c", { value: 7, writable: false, configurable: true });
for (let k = 0; k < 3; k++) { try { log(fa(HOT)); } catch (e) { log(e.name); } }
delete Object.prototype.c; log(fa(HOT));
// late change while the loop runs
class B { constructor(x, f) { this.a = x; f(x, this); this.b = x; } s() { return this.a + this.b; } }
for (let r = 0; r < 3; r++) { let s = 0; let kept; for (let i = 0; i < HOT; i++) { const o = new B(i, i === HOT - 5 ? (x, t) => { kept = t; t.z = 5; Object.defineProperty(B.prototype, "b", { get() { return 1e6 }, set() {}, configurable: true }); } : () => {}); s += o.s(); if (kept && kept !== o) { log(JSON.stringify(kept), kept === o); kept = null; } } log(s); delete B.prototype.b; }
// private brand checks, double init, static brand
class Ret { constructor(o) { return o; } }
class St extends Ret { #p = 1; #m() { return this.#p; } get #g() { return 3; } static has(o) { return #p in o; } static call(o) { return o.#m() + o.#g; } constructor(o) { super(o); } }
{ let s = 0, e = 0; for (let i = 0; i < HOT; i++) { const t = i % 100 === 7 ? null : {}; try { const o = new St(t ?? Math); s += St.call(o); if (i % 50 === 3) new St(o); } catch (x) { e++; } s += St.has({}) ? 1 : 0; } log(s, e); }
// thrown in the middle, object kept by an outer closure / by a field initializer
let leaked = [];
class L { a = this.init(); b = 2; constructor(x) { this.c = x; if (x % 997 === 5) throw new Error("x" + Object.keys(this)); } init() { if (leaked.length < 3) leaked.push(this); return 1; } }
class L2 extends L { d = 4; #e = 5; constructor(x) { try { super(x); } catch (e) { log(e.message); if (x % 2) return { n: 1 }; throw e; } this.f = this.#e; } }
for (let i = 0; i < HOT * 2; i++) { try { const o = new L2(i); if (i % 1500 === 1) log(JSON.stringify(o)); } catch (e) { log("out", e.message); } }
log(JSON.stringify(leaked));
// new.target, Reflect.construct with other prototype
class NT { constructor(x) { this.x = x; this.n = new.target.name; } }
class NT2 extends NT { constructor(x) { super(x); this.y = new.target === NT2; } }
function Other() {} Other.prototype = Array.prototype;
{ const c = {}; for (let i = 0; i < HOT; i++) { const o = i % 500 === 1 ? Reflect.construct(NT2, [i], Other) : i % 700 === 3 ? Reflect.construct(NT2, [i], NT) : new NT2(i); const k = o.n + o.y + (o instanceof Array) + (o instanceof NT2); c[k] = (c[k] | 0) + 1; } log(JSON.stringify(c)); }
// super property get/set in constructors, arrow with this before super
class SP { get v() { return this.k * 2; } set v(x) { this.k = x; } m() { return 1; } }
class SP2 extends SP { constructor(x) { const f = () => this; const g = () => super.m(); let early = 0; if (x === HOT - 3) { try { f(); } catch (e) { early = 1; } } super(); super.v = x; this.w = super.v + g() + early; super.own = x; this.eq = f() === this; } }
{ let s = 0; for (let i = 0; i < HOT; i++) { const o = new SP2(i); s += o.w + o.own + (o.eq ? 1 : 0); if (i > HOT - 5) log(JSON.stringify(o)); } log(s); }
// eval and arguments
class EV { constructor(x) { this.a = arguments[0]; arguments[0] = 5; this.b = x; if (x === HOT - 2) eval("this.z = x"); } }
{ let s = 0; for (let i = 0; i < HOT; i++) { const o = new EV(i); s += o.a + o.b + (o.z ?? 0); } log(s); }
// proxies of classes
const PX = new Proxy(A, { construct(t, a, n) { return Reflect.construct(t, a, n); }, get(t, k, r) { return Reflect.get(t, k, r); } });
class PD extends PX { z = 1; }
{ let s = 0; for (let i = 0; i < HOT; i++) { s += new PX(i).s() + new PD(i).s() + new PD(i).z; } log(s); }
// realm
const ctx = vm.createContext({ log }); const F = vm.runInContext("class V { constructor(x) { this.a = x; this.q = [x]; } }; globalThis.g = function* (n) { for (let i = 0; i < n; i++) yield i; }; V", ctx);
class FV extends F { r = 2; }
{ let s = 0; for (let i = 0; i < HOT; i++) { const o = new FV(i); s += o.a + o.r + o.q[0]; for (const v of ctx.g(3)) s += v; if (i > HOT - 2) log(o instanceof Object, o.q instanceof Array, JSON.stringify(o)); } log(s); }
// generators: reentered, return through finally, thrown
function* G(n, cb) { let i = 0; try { while (i < n) { yield cb(i++); } } finally { log2++; } }
let log2 = 0;
for (let r = 0; r < HOT; r++) { let it = G(4, (i) => { if (r === HOT - 3 && i === 2) { try { it.next(); } catch (e) { log(e.name); } } if (r === HOT - 5 && i === 3) throw new Error("g"); return i; }); try { let s = 0; for (const v of it) { s += v; if (r % 100 === 7 && v === 2) break; } if (r % 1000 === 7) log(s, JSON.stringify(it.next())); } catch (e) { log(e.message, JSON.stringify(it.next())); } }
log(log2);
function* inf() { let i = 0; while (true) yield i++; }
{ const g = inf(); let s = 0; for (let i = 0; i < HOT; i++) { const { value, done } = g.next(); s += value; if (i === HOT - 9) g.return(3); if (done) { log(i, value); break; } } log(s, JSON.stringify(g.next())); }
// stack overflow in constructors
class SO { constructor(n) { this.a = n; if (n >= 0) this.b = new SO(n + 1); this.c = 1; } }
for (let i = 0; i < 5; i++) { try { new SO(0); } catch (e) { log(e instanceof RangeError); } }
{ let s = 0; for (let i = 0; i < HOT; i++) s += new SO(-i - 1).c; log(s); }
// two ways with constants, one of which is found unreachable
class TW { constructor(f, x) { if (f > 5) this.a = 1; else this.a = x; this.b = x * 2; this.c = f > 3 ? 1 : x; } k() { return Object.keys(this).join() + this.a + this.b + this.c; } s() { return this.a + this.b; } }
for (const [f1, f2] of [[3, 9]]) for (let k = 0; k < 3; k++) { let s = 0, t = 0; for (let i = 0; i < HOT; i++) { const v = i > HOT - 4 ? 2 ** 31 + i : i; s += new TW(3, v).s(); t += new TW(9, v).s(); if (i > HOT - 3) log(new TW(3, v).k(), new TW(9, v).k()); } log(s, t); }
// weak refs
{ const refs = []; class W { constructor(x) { this.x = x; if (x % 1000 === 1) refs.push(new WeakRef(this)); } } let s = 0; for (let i = 0; i < HOT; i++) s += new W(i).x; log(s, refs.length, refs.every((r) => r.deref() === undefined || r.deref().x % 1000 === 1)); }
console.log(out.join("\n"));
