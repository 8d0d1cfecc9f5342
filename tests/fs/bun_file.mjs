// Recorded from Bun 1.4.5. Bun.file and Bun.write. Where Bun is wrong (a Blob of a BunFile, a written slice), or console
// output would differ, the case is left out.
import {writeFileSync,readFileSync,mkdtempSync,rmSync} from "fs";
const root = mkdtempSync("/tmp/bf-");
process.chdir(root);
let n=0;const t=async(f)=>{try{const v=await f();console.log(++n, typeof v=="object"?JSON.stringify(v):v)}catch(e){console.log(++n,"!!",e.name,e.code,e.syscall,e instanceof SyntaxError||e.code=="EISDIR"?"":e.message.replace("\\u0000","0").replace("\\x00","0"))}};
writeFileSync("a.txt","hello world");
 await t(()=>Bun.file("a.txt").size);await t(()=>Bun.file("nope").size);await t(()=>Bun.file("nope").text());await t(()=>Bun.file("nope").exists());await t(()=>Bun.file("/tmp").exists());await t(()=>Bun.file("nope").json());await t(()=>Bun.file("a.txt").json());
await t(()=>[Bun.file("a.txt").name,Bun.file("a.txt").type,Bun.file("a.json").type,Bun.file("a").type,Bun.file("a.html",{type:"x/y"}).type,Bun.file("a.ts").type,Bun.file("a.js").type,Bun.file("a.png").type,Bun.file("a.css").type,Bun.file(1).type,Bun.file(1).name,Bun.file(new URL("file:///x/y.md")).name, Bun.file(Buffer.from("b.txt")).name]);
await t(()=>Bun.file("a.txt").slice(2,5).text());await t(()=>Bun.file("a.txt").slice(2,5).size);await t(()=>Bun.file("a.txt").slice(0,100).size);
await t(()=>Bun.file("a.txt").lastModified>1e12);await t(()=>Bun.file("nope").lastModified);await t(async()=>(await Bun.file("a.txt").stat()).size);await t(()=>Bun.file("nope").stat());
await t(()=>Bun.file("a.txt").bytes());await t(()=>Bun.file("a.txt").arrayBuffer());
await t(()=>Bun.write("w.txt","héllo"));await t(()=>Bun.write("w.txt",Buffer.from("xy")));await t(()=>Bun.write("w.txt",new Blob(["abc"])));await t(()=>Bun.write("w2.txt",Bun.file("a.txt")));await t(()=>readFileSync("w2.txt","utf8"));await t(()=>Bun.write(Bun.file("w4.txt"),"q"));await t(()=>Bun.write("d/e/f.txt","q"));await t(()=>Bun.write("g/e/f.txt","q",{createPath:false}));await t(()=>Bun.write("w5.txt",["a","b"]));await t(()=>Bun.write("w6.txt",{}));await t(()=>Bun.write("w6.txt",5));await t(()=>Bun.write());await t(()=>Bun.write("x"));await t(()=>Bun.write("w.txt",null));await t(()=>Bun.write("w7.txt",new Uint16Array([1,2])));await t(()=>Bun.write("w8.txt",new ArrayBuffer(3)));await t(()=>Bun.write("w9.txt",""));await t(()=>Bun.write("w10",Bun.file("nope")));await t(()=>Bun.write("w.txt","mode",{mode:0o600}));await t(()=>Bun.write(5.5,"x"));await t(()=>Bun.write({}, "x"));await t(()=>Bun.file({}));await t(()=>Bun.file());await t(()=>Bun.file(-1));await t(()=>Bun.file(null));await t(()=>Bun.file(1.5));
writeFileSync("s.txt","hello world");
await t(async()=>{const w=Bun.file("s.txt").writer();const r=[w.write("abc"),w.write(Buffer.from("d")),w.flush(),w.write("é"),await w.end()];return [r,readFileSync("s.txt","utf8")]});
await t(()=>Bun.file("s.txt").write("zzz"));await t(()=>Bun.file("s.txt").delete());await t(()=>Bun.file("s.txt").unlink());await t(()=>Bun.file("s.txt").exists());
 
  await t(()=>Bun.write(Bun.stdout,"out\n")); await t(async()=>{const w=Bun.stdout.writer();w.write("sink\n");return w.flush()}); 
await t(()=>readFileSync("w2.txt","utf8")); process.chdir("/");
rmSync(root, { recursive: true });
