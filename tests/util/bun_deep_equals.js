// Recorded from Bun 1.4.5. Bun.deepEquals in both modes and both directions, Bun.deepMatch.
let n=0;const t=(f)=>{n++;let r;try{r=f()}catch(e){r="!!"+e.name+" "+e.message}console.log(n,r)};
class A{constructor(x){this.x=x}} class B{constructor(x){this.x=x}} class C extends A{}
const E=(m,x)=>Object.assign(new Error(m),x);
const cyc=()=>{const o={a:1};o.self=o;return o}; const sym=Symbol("s");
const sp=[1,,3];
const fn=()=>1;
const pairs=()=>[
[1,1],[1,"1"],[NaN,NaN],[0,-0],[null,undefined],["a","a"],[1n,1n],[1n,1],[true,1],[sym,sym],[sym,Symbol("s")],[fn,fn],[()=>1,()=>1],
[{},{}],[{a:1},{a:1}],[{a:1},{a:2}],[{a:1,b:undefined},{a:1}],[{a:1},{a:1,b:undefined}],[{a:undefined},{b:undefined}],[{a:1,b:2},{b:2,a:1}],[[1,2],[1,2]],[[1,2],[2,1]],[[1,undefined],[1]],[[,1],[undefined,1]],[sp,[1,undefined,3]],[[],{}],[{length:0},[]],[{0:1},[1]],[[1],{0:1,length:1}],
[new A(1),new A(1)],[new A(1),new B(1)],[new A(1),{x:1}],[new A(1),new C(1)],[Object.create(null),{}],[Object.assign(Object.create(null),{a:1}),{a:1}],
[new Date(0),new Date(0)],[new Date(0),new Date(1)],[new Date(NaN),new Date(NaN)],[/a/g,/a/g],[/a/g,/a/i],[/a/,/b/],[new Date(0),{}],[/a/,{}],
[E("a"),E("a")],[E("a"),E("b")],[new TypeError("a"),new Error("a")],[E("a",{code:1}),E("a",{code:2})],[E("a",{code:1}),E("a")],[new Error("a",{cause:1}),new Error("a",{cause:2})],[new AggregateError([1],"x"),new AggregateError([2],"x")],
[new Map([[1,2]]),new Map([[1,2]])],[new Map([[1,2]]),new Map([[1,3]])],[new Map([[{a:1},2]]),new Map([[{a:1},2]])],[new Map([[1,2],[3,4]]),new Map([[3,4],[1,2]])],[new Set([1,2]),new Set([2,1])],[new Set([{a:1}]),new Set([{a:1}])],[new Set([{a:1}]),new Set([{a:2}])],[new Set([1]),new Set([1,2])],[new Set(),new Map()],[new WeakMap(),new WeakMap()],[new Set([[1],[1]]),new Set([[1],[2]])],
[new Uint8Array([1,2]),new Uint8Array([1,2])],[new Uint8Array([1]),new Uint8Array([2])],[new Uint8Array([1]),new Int8Array([1])],[Buffer.from([1]),new Uint8Array([1])],[new Float64Array([NaN]),new Float64Array([NaN])],[new Float64Array([0]),new Float64Array([-0])],[new Uint8Array([1]).buffer,new Uint8Array([1]).buffer],[new Uint8Array([1]).buffer,new Uint8Array([2]).buffer],[new DataView(new ArrayBuffer(2)),new DataView(new ArrayBuffer(2))],[new Uint8Array([1]),[1]],
[new Number(1),new Number(1)],[new Number(1),1],[new String("a"),"a"],[new String("a"),new String("a")],[new String("a"),new String("b")],[new Boolean(true),new Boolean(true)],[Object(1n),Object(1n)],[Object(sym),Object(sym)],
[{[sym]:1},{[sym]:1}],[{[sym]:1},{[sym]:2}],[{[sym]:1},{}],[cyc(),cyc()],[Promise.resolve(1),Promise.resolve(1)],[Object.defineProperty({},"h",{value:1}),{}],[{get a(){return 1}},{a:1}],[Object.assign([1],{x:1}),[1]],[Object.assign([1],{x:1}),Object.assign([1],{x:1})],[Object.assign(()=>{}, {a:1}),Object.assign(()=>{}, {a:1})],[new URL("http://a/"),new URL("http://a/")],[new URL("http://a/"),new URL("http://b/")],[globalThis,globalThis],[(function(){return arguments})(1),[1]],[(function(){return arguments})(1),(function(){return arguments})(1)],[{a:[{b:{c:1}}]},{a:[{b:{c:1}}]}],[[undefined],[null]],[[NaN],[NaN]],[{a:0},{a:-0}],[document=>1,2],[new Blob(["a"]),new Blob(["a"])],[new URLSearchParams("a=1"),new URLSearchParams("a=1")],[new URLSearchParams("a=1"),new URLSearchParams("a=2")],[undefined,undefined],[null,{}],
];
for(const [a,b] of pairs()) t(()=>[Bun.deepEquals(a,b),Bun.deepEquals(a,b,true),Bun.deepEquals(b,a),Bun.deepEquals(b,a,true)].map(x=>+x).join(""));
t(()=>Bun.deepEquals(1));t(()=>Bun.deepEquals());
const M=(s,o)=>t(()=>Bun.deepMatch(s,o));
M({a:1},{a:1,b:2});M({a:1,b:2},{a:1});M({a:{b:1}},{a:{b:1,c:2}});M([1],[1,2]);M([1,2],[1,2]);M({a:[{b:1}]},{a:[{b:1,c:2}]});M({a:undefined},{});M({},{a:1});M({a:1},{a:"1"});M({a:new Date(0)},{a:new Date(0)});M(new Map([[1,2]]),new Map([[1,2],[3,4]]));M(new Set([1]),new Set([1,2]));M(1,1);M({a:1});M(null,{});M({a:/x/},{a:/x/});M({a:new A(1)},{a:new B(1)});M({a:null},{a:null});M({[sym]:1},{[sym]:1});M({a:NaN},{a:NaN});M({a:()=>1},{a:()=>1});M([{a:1}],[{a:1,b:2}]);M({length:1},[1]);M({a:[]},{a:[1]});M({a:{}},{a:[1]});M({a:{}},{a:1});
