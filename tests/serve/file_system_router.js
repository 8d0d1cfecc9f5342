// Recorded from Bun 1.4.5. Bun.FileSystemRouter.
const { mkdtempSync, mkdirSync, writeFileSync, rmSync } = require("fs");
const root = mkdtempSync("/tmp/router-");
for (const file of ["index.tsx", "about.tsx", "blog/index.tsx", "blog/[slug].tsx", "docs/[...rest].tsx", "docs/api/x.ts", "[[...all]].tsx", "settings.js", "readme.txt"]) {
  mkdirSync(`${root}/pages/${file}`.replace(/[^/]*$/, ""), { recursive: true });
  writeFileSync(`${root}/pages/${file}`, "");
}
const r=new Bun.FileSystemRouter({dir:root+"/pages",style:"nextjs",origin:"https://o.com",assetPrefix:"_next/static/"});
const cut=s=>typeof s=="string"?s.replace(root,"~"):s;
console.log(Object.keys(r.routes).sort().join(" "));
for (const p of ["/","/about","/blog","/blog/","/blog/hello","/blog/a%20b?x=1&x=2&y=3","/docs/a/b/c","/docs","/docs/api/x","/nope/x","https://h.com/settings?q=1#z","about","/blog/x/y"]) { let m; try{m=r.match(p)}catch(e){console.log(p,e.message);continue} console.log(p, m&&JSON.stringify({n:m.name,k:m.kind,p:m.pathname,pa:m.params,q:m.query,f:cut(m.filePath),s:m.src,ss:m.scriptSrc})); }
for (const o of [undefined,{},{style:"x"},{style:"nextjs",dir:"/nope"},{style:"nextjs",dir:5}]) try{new Bun.FileSystemRouter(o);console.log("ok")}catch(e){console.log(e.name,e.code,e.message)}
console.log(r.style,r.origin,r.assetPrefix);
rmSync(root, { recursive: true });
