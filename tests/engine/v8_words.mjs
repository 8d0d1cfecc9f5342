// expected: recorded from Node 25.9
// The words of errors of the language, beyond those of v8_messages.mjs: each text is the body of a function.
const runtime = String.raw`
const f = () => 1; f()()
const f = () => ({}); f().g()
const f = () => undefined; f().g
const o = { f() {} }; o.f()()
let u; u()
let n = null; n()
(void 0)()
(1)()
"text"()
true()
({})()
[]()
(function () {})()()
(() => {})()()
const a = [1]; a[0]()
const a = [1], i = 0; a[i]()
const o = { a: { b: 1 } }; o.a.b()
const o = {}; o.a?.b.c; o.b()
let u; u.f?.()
const x = {}; new x
const x = {}; new x.y
const x = {}; new x.y.z
const f = () => {}; new f()
const o = { m() {} }; new o.m()
async function f() {} new f()
function* g() {} new g()
new Math()
new JSON.parse("1")
new Symbol()
new BigInt(1)
class A { get #g() { return 1; } static t(o) { o.#g = 1; } } A.t(new A())
class A { static #p; static t(o) { return #p in o; } } A.t(1)
class A extends 1 {}
class A extends ({}) {}
const x = () => {}; class A extends x {}
class A { constructor() { return 1; } } class B extends A { constructor() { super(); super(); } } new B()
class A {} class B extends A { constructor() {} } new B()
class A { static x = A.y.z; }
class A {} A()
A; class A {}
x; let x
typeof x; let x
x = 1; const x = 2
const c = 1; c++
const c = 1; c += 1
for (const i = 0; i < 2; i++) {}
(function f() { "use strict"; f = 1; })()
1 in 1
"a" in 1
"a" in null
"a" in undefined
"a" in "abc"
"a" in true
"a" in Symbol("s")
const s = Symbol("s"); s in 1
1 instanceof {}
for (const x of 1) {}
for (const x of {}) {}
for (const x of undefined) {}
for (const x of null) {}
const o = {}; for (const x of o) {}
const o = {}; for (const x of o.list) {}
const f = () => 1; for (const x of f()) {}
const [a] = 1
const [a] = undefined
const [a] = null
const [a] = {}
const o = {}; const [a] = o
const o = {}; [...o]
new WeakSet([1])
Object.fromEntries(undefined)
Array.from({ [Symbol.iterator]() { return 1; } })
Date.prototype.getTime.call({})
Number.prototype.toString.call("s")
Number.prototype.toFixed.call({})
Function.prototype.toString.call({})
Function.prototype.bind.call(1)
Array.prototype.push.call(null, 1)
String.prototype.trim.call(undefined)
String.prototype.includes.call(null, "a")
Promise.prototype.then.call({})
Promise.resolve.call(1)
Promise.all.call(undefined, [])
Promise()
Map()
Set()
WeakMap()
ArrayBuffer(1)
DataView()
new DataView()
new DataView({})
new DataView(new ArrayBuffer(1)).getInt16(0)
new Uint16Array(new ArrayBuffer(3))
new Uint16Array(new ArrayBuffer(4), 1)
new Uint8Array(2).set([1, 2, 3])
new WeakRef(1)
new Proxy({}, 1)
new Proxy(1, {})
Proxy({}, {})
new Array(1.5)
[].length = -1
const a = []; a.length = 1.5
"a".repeat(2 ** 30)
"a".padEnd(2 ** 30)
"a".normalize("x")
"a".at(Symbol())
"a".matchAll(/a/)
"a".replaceAll(/a/, "b")
"a".localeCompare("b", "x-invalid-locale-")
String.raw()
String.fromCodePoint(1.5)
String.fromCodePoint("x")
(1).toString(37)
(1n).toString(1)
2n ** -1n
(-1n) ** -1n
1n / 0n
1n % 0n
BigInt(null)
BigInt(Symbol())
1n + "a" + 1n * 1
+{ valueOf() { return 1n; } }
1n + {}  * 1n
Symbol() + ""
Symbol() + 1
Object.defineProperty({}, "a", 1)
Object.defineProperties({}, 1 && undefined)
Object.defineProperty([], "length", { value: -1 })
Object.create()
Object.setPrototypeOf(Object.preventExtensions({}), {})
Object.assign(null)
Object.assign(undefined, {})
Object.entries(undefined)
Object.getPrototypeOf(null)
Object.getOwnPropertyNames(undefined)
Object.groupBy([1], 1)
Reflect.ownKeys(1)
Reflect.construct(1)
Reflect.construct(function () {}, 1)
Reflect.getPrototypeOf(1)
Reflect.defineProperty({}, "a", 1)
"use strict"; undefined.x = 1
"use strict"; notThere = 1
"use strict"; (1).x = 1
"use strict"; Symbol().x = 1
"use strict"; delete [].length
"use strict"; Object.preventExtensions([]).push(1)
"use strict"; Object.freeze([1]).pop()
"use strict"; Object.freeze([1]).length = 0
"use strict"; Object.freeze([2, 1]).sort()
"use strict"; arguments.callee
"use strict"; (function () { return arguments.callee; })()
"use strict"; (function f() {}).caller
[].reduce((a) => a)
[].reduceRight((a) => a)
[].map()
[].forEach(undefined)
Array.from(null)
Array.from(undefined)
new Uint8Array(1).map(1)
new Uint8Array(1).forEach()
new Set().forEach()
[1, 2].values().reduce((a) => a, 1).x.y
Iterator()
new Iterator()
"abc".replace(/b/, () => { throw new TypeError("own"); })
new Date(NaN).toISOString()
new Date(8.64e15 + 1).toISOString()
new Intl.NumberFormat("en", { style: "currency" })
new Intl.DateTimeFormat("x-y-z-")
(1).toLocaleString("xx-invalid-locale-name-x")
decodeURIComponent("%E0%A4%A")
decodeURI("%")
encodeURIComponent("\uD800")
JSON.parse(undefined)
JSON.parse("")
JSON.parse({})
JSON.stringify({ toJSON() { throw new Error("own"); } })
const o = {}; o.a = { o }; JSON.stringify(o)
const a = []; a[0] = [a]; JSON.stringify(a)
JSON.stringify(1n)
structuredClone(() => {})
structuredClone(Symbol("s"))
({ toString() { return {}; }, valueOf() { return {}; } }) + ""
({ [Symbol.toPrimitive]() { return {}; } }) + ""
Object.create(null) + ""
[Object.create(null)].join()
with_ = notThere
notThere()
notThere.x
notThere++
new notThere
typeof notThere.x
void notThere
let { a } = null
let { a: { b } } = {}
(({ a }) => a)()
(({ a: { b } }) => b)({})
(({ a }) => a)(null)
const { a } = undefined
const { a = b } = {}; let b
function f(a = b, b) {} f()
(function ({ a }) {})(undefined)
let { [1]: x } = undefined
var { length } = null
null[Symbol.iterator]
undefined[0]
null[notThere]
undefined.a.b.c
const o = { a: undefined }; o.a.b
const o = { a: undefined }; o.a.b = 1
const o = { a: undefined }; o.a.b()
const o = { a: null }; o.a[0]
this.x.y
super.x
super()
await 1
`.split("\n").slice(1, -1);

const syntax = String.raw`
let a; let a
const a
const { a }
let let = 1
var 1a
if (
}
)
(
[
f(
f(1
f(1 2)
({ a:
({ a: 1, b })=1
({ get a(b) {} })
({ set a() {} })
function (a) {}
function f(a, a) { "use strict"; }
(a, a) => 1
class A { constructor() {} constructor() {} }
class A { m() { this.#x; } }
class A { static prototype() {} }
class A extends B { constructor() { super; } }
break
continue
case 1:
switch (1) { default: default: }
for (;;
for (let a = 1 of [])
for (const a;;) {}
do 1 while
try {}
throw
throw
throw 
import
import x
import "a"
export default 1
import.meta
import(
await 1
async function f() { function g() { await 1; } }
"use strict"; yield = 1
"use strict"; let static
"use strict"; with (a) {}
"use strict"; 010
"use strict"; "\08"
"use strict"; delete x
"use strict"; eval = 1
"use strict"; arguments = 1
"use strict"; var public
"use strict"; implements
enum
1 = 2
a + b = c
a ?
a =>
=> a
() + 1
() => {} + 1
a => {} ()
a?.b = 1
new a?.b()
-1 ** 2
"abc
'abc
/abc
/[/
/a/gg
/a/x
/*
"\u{110000}"
"\u12"
"\x1"
'\u{'
\a
@
1.a
1a
0b2
0o8
0x
0xg
1_
1__0
0_1
1.5n
1e
1e+
.
..
...a
[...a, b] = c
({ ...a, b } = c)
function f(...a, b) {}
function f(...a = 1) {}
({ a = 1 })
({ a: 1 } = 1)
let [a]
let {}
var this
this = 1
null = 1
true = 1
var if
var class
else
if (1) else
if (1) let a
if (1) const a = 1
while (1) function f() {}
label: class A {}
async (a, a) => { "use strict"; }
async function f(await) {}
async () => { await; }
class A { static { await 1; } }
class A { static { return; } }
class A { x = arguments; }
super()
super.x
function f() { super(); }
({ m() { super(); } })
({ __proto__: 1, __proto__: 2 })
¿
a ¿
"a" "b"
1 2
let a = 1, b = , c
let a = ;
a = ;
a[
a[]
f(,)
f(a,,b)
[,] = 1 2
!
~
typeof
void
delete
new
in
instanceof
a in
a instanceof
a,
a;;;)
}
function f() { } }
"a" => 1
[a] => 1
using a
function f() { "use strict"; 010; }
function f(a = 1) { "use strict"; }
(a = 1) => { "use strict"; }
function eval() { "use strict"; }
function f(eval) { "use strict"; }
let a; var a
var a; let a
const a = 1; const a = 2
let a; { var a; }
function f(a) { let a; }
try {} catch (e) { let e; }
try {} catch ([e, e]) {}
class A {} class A {}
let f; function f() {}
`.split("\n").slice(1, -1);

const shown = (error) => (error instanceof Error ? `${error.name}: ${error.message.split("\n")[0]}` : typeof error);
for (const text of runtime) {
  try {
    (0, eval)(`(function () { ${text}\n})`)();
    console.log(`${text}  //  no error`);
  } catch (error) {
    console.log(`${text}  //  ${shown(error)}`);
  }
}
for (const text of syntax) {
  try {
    new Function(text);
    console.log(`${text}  //  no error`);
  } catch (error) {
    console.log(`${text}  //  ${shown(error)}`);
  }
}
