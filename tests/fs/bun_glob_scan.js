// Recorded from Bun 1.4.5. Bun.Glob.scan over a small tree, sorted.
const { mkdtempSync, mkdirSync, writeFileSync, symlinkSync, rmSync } = require("fs");
const cwd = mkdtempSync("/tmp/glob-");
for (const dir of ["a/b/.h", ".d", "c"]) mkdirSync(`${cwd}/${dir}`, { recursive: true });
for (const file of ["1.js", "2.ts", ".x.js", "a/3.js", "a/b/4.js", "a/b/.h/5.js", ".d/6.js", "c/7.ts"]) writeFileSync(`${cwd}/${file}`, "");
symlinkSync("a", `${cwd}/la`); symlinkSync("nowhere", `${cwd}/broken`); symlinkSync("1.js", `${cwd}/lf.js`);
const show = (paths) => paths.map((path) => path.replace(cwd, "<>").replace(cwd.slice(5), "<name>")).sort().join(" ");
const s = (p, o) => { try { console.log(JSON.stringify(p.replace(cwd, "<>")), JSON.stringify(o)?.replace(cwd, "<>"), show([...new Bun.Glob(p.replace("<name>", cwd.slice(5))).scanSync(o)])); } catch (e) { console.log(p, "!!", e.name, e.code, e.message); } };
for (const p of ["*","**","**/*","**/*.js","*.js","a/*","a/**","./a/*","./**/*.js","{a,c}/*","a/{b,.}/*","a/../*.js","**/b/**","a","a/","*/","la/*","la/**","**/.h/*",".d/*","**/.x.js",".*","nope/*","1.js","a/b/4.js","!*.js","[ac]/*","a/b/","*/b","**/../*.js", cwd+"/*.js", "a//3.js","c/./7.ts","lf.js","broken","l*","a\\/3.js","**/{3,4}.js","./1.js",".","..","","/"] ) s(p,{cwd});
s("**",{cwd,dot:true}); s("*",{cwd,dot:true}); s("**/*.js",{cwd,dot:true}); s("**",{cwd,onlyFiles:false}); s("*",{cwd,onlyFiles:false}); s("**/*",{cwd,onlyFiles:false,dot:true}); s("**",{cwd,followSymlinks:true}); s("*",{cwd,followSymlinks:true}); s("*",{cwd,followSymlinks:true,throwErrorOnBrokenSymlink:true}); s("*",{cwd,throwErrorOnBrokenSymlink:true}); s("*.js",{cwd,absolute:true});   s("*",{cwd:"nope"}); s("*",{cwd:5}); s("*",5); s("a/",{cwd,onlyFiles:false}); s("a",{cwd,onlyFiles:false}); s("*/",{cwd,onlyFiles:false}); s("la/*",{cwd,followSymlinks:true});  s("./*",{cwd,absolute:true});    s(".",{cwd,onlyFiles:false});
const t=(f)=>{try{console.log(String(f()))}catch(e){console.log("!!",e.name,e.code,e.message)}};
t(()=>Bun.Glob("a"));t(()=>new Bun.Glob());t(()=>new Bun.Glob(1));t(()=>new Bun.Glob("a").match());t(()=>new Bun.Glob("a").match(1));t(()=>new Bun.Glob("a").pattern);t(()=>Object.prototype.toString.call(new Bun.Glob("a")));
;(async () => {
  const found = [];
  for await (const path of new Bun.Glob("**/*.js").scan({ cwd })) found.push(path);
  console.log(show(found));
  try { for await (const path of new Bun.Glob("*").scan({ cwd: "nope" })) console.log(path); } catch (e) { console.log(e.code, e.message); }
  rmSync(cwd, { recursive: true });
})();
