// `integrity`: as Node 25.8.1.
import http from "node:http";
import { createHash } from "node:crypto";
const s = http.createServer((q,r)=>r.end("hello")).listen(0); await new Promise(r=>s.on("listening",r));
const u=`http://127.0.0.1:${s.address().port}/`;
const h=(a)=>a+"-"+createHash(a).update("hello").digest("base64");
for (const i of [h("sha256"), h("sha512")+"?x", "sha256-AAAA "+h("sha256"), "sha256-AAAA", "md5-xx", h("sha256")+" sha512-AAAA", ""]) { try { console.log(await (await fetch(u,{integrity:i})).text()) } catch(e) { console.log(e.name, e.message, e.cause?.message) } } s.close(); s.closeAllConnections();
