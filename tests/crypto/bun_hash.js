// Recorded from Bun 1.4.5. Bun.hash: all functions over lengths and seeds, strings, wrong arguments.
const names=["wyhash","adler32","crc32","cityHash32","cityHash64","xxHash32","xxHash64","xxHash3","murmur32v2","murmur32v3","murmur64v2","rapidhash"];
const data=n=>{const b=new Uint8Array(n);for(let i=0;i<n;i++)b[i]=(i*131+(i>>3)*17+7)&255;return b};
for (const n of [0,1,2,3,4,5,7,8,11,12,13,16,17,20,24,25,31,32,33,40,47,48,49,63,64,65,95,96,97,128,129,144,193,240,241,256,300,1000,4097]) for (const k of names) console.log(k,n,Bun.hash[k](data(n)),Bun.hash[k](data(n),1),Bun.hash[k](data(n),12345),Bun.hash[k](data(n),0xfedcba9876543210n));
for (const s of ["","a","hello","é","日本","😀","\ud800", "x".repeat(100)]) for (const k of names) console.log(JSON.stringify(s),k,Bun.hash[k](s),Bun.hash[k](s,-1), Bun.hash[k](s,1.5));
let n=0;const t=(f)=>{n++;try{console.log(n,String(f()))}catch(e){console.log(n,"!!",e.name,e.code)}};
t(()=>Bun.hash("a")); t(()=>Bun.hash()); t(()=>Bun.hash(123)); t(()=>Bun.hash(null)); t(()=>Bun.hash({})); t(()=>Bun.hash(new Blob(["a"]))); t(()=>Bun.hash(new ArrayBuffer(3)));t(()=>Bun.hash(new DataView(new ArrayBuffer(3))));t(()=>Bun.hash(new Uint16Array([1,2])));
