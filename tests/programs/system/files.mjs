// Each package works on a tree that is made here; what it prints is relative to it.
import fse from "fs-extra";
import fs from "node:fs";
import path from "node:path";
import { glob, globSync, Glob, hasMagic } from "glob";
import fg from "fast-glob";
import { globby } from "globby";
import { minimatch } from "minimatch";
import micromatch from "micromatch";
import picomatch from "picomatch";
import { rimraf } from "rimraf";
import gfs from "graceful-fs";
import { findUp, findUpSync } from "find-up";
import resolve from "resolve";
import enhanced from "enhanced-resolve";
import { cosmiconfig } from "cosmiconfig";
import { packageDirectory } from "pkg-dir";
import mime from "mime";
import mimeTypes from "mime-types";
import dotenv from "dotenv";
import { expand } from "dotenv-expand";
const root = fs.realpathSync(".") + "/tree";
await fse.outputFile(`${root}/src/a/b.js`, "1");
await fse.outputJson(`${root}/package.json`, { name: "t", tool: { x: 1 } }, { spaces: 1 });
for (const f of [
  "src/c.ts",
  "src/a/.hidden",
  "src/a/d.test.js",
  "docs/[x].md",
  "docs/é.md",
  "lib/deep/er/z.js",
  "node_modules/m/package.json",
  "node_modules/m/main.js",
])
  await fse.outputFile(`${root}/${f}`, f);
await fse.writeJson(`${root}/node_modules/m/package.json`, {
  name: "m",
  exports: { ".": { import: "./esm.js", require: "./main.js" }, "./s": "./main.js" },
  main: "main.js",
});
fs.symlinkSync("../src/a", `${root}/docs/link`);
fs.writeFileSync(`${root}/.gitignore`, "lib\n*.test.js\n");
const sort = (l) => [...l].map(String).sort();
const rel = (p) => p && path.relative(root, p);
console.log(
  sort(await glob("**/*.js", { cwd: root, ignore: "node_modules/**" })),
  sort(globSync("{src,docs}/**", { cwd: root, dot: true, follow: true, mark: true })),
  hasMagic("a*"),
  (await new Glob("src/*", { cwd: root, withFileTypes: true }).walk()).map((p) => [p.name, p.isDirectory()]).sort(),
);
console.log(
  sort(await fg(["**/*.{js,ts}", "!**/*.test.*"], { cwd: root, ignore: ["**/node_modules/**"], followSymbolicLinks: false })),
  sort(fg.sync("docs/*", { cwd: root, onlyFiles: false, markDirectories: true })),
  sort(
    await fg
      .glob("src/**", { cwd: root, dot: true, stats: true, objectMode: true })
      .then((l) => l.map((e) => e.path + e.stats.size)),
  ),
);
const streamed = [];
for await (const e of fg.stream("**/*.js", { cwd: root })) streamed.push(e);
console.log(sort(streamed), sort(await globby("**", { cwd: root, gitignore: true })));
console.log(
  minimatch("a/b/c.js", "a/**/!(d).js"),
  minimatch("a7.x", "+(a|b)[[:digit:]]?(.).{x,y}"),
  minimatch.braceExpand("{1..3}{a,b}"),
  micromatch(["foo.js", "bar.md", "a/b.js"], ["*.js", "!foo*"]),
  micromatch.capture("a/*/c", "a/b/c"),
  picomatch("**/*.{js,mjs}")("x/y.mjs"),
  picomatch.makeRe("a!(b)c"),
);
await fse.copy(`${root}/src`, `${root}/copy`, { filter: (s) => !s.endsWith(".ts") });
await fse.move(`${root}/copy/a/b.js`, `${root}/moved/b.js`);
await fse.ensureSymlink(`${root}/moved`, `${root}/ln`);
console.log(
  sort(fs.readdirSync(`${root}/copy`, { recursive: true })),
  fs.readlinkSync(`${root}/ln`) === `${root}/moved`,
  await fse.pathExists(`${root}/nope`),
  (await fse.readJson(`${root}/package.json`)).name,
);
await fse.readJson(`${root}/src/c.ts`).catch((e) => console.log(e.name, path.basename(e.message.split(":")[0])));
await fse.copy(`${root}/none`, `${root}/x`).catch((e) => console.log(e.code, e.syscall));
fse.emptyDirSync(`${root}/moved`);
fse.removeSync(`${root}/moved`);
await new Promise((done) => gfs.readdir(`${root}/src`, (e, l) => done(console.log(e, l))));
console.log(
  await Promise.all(Array.from({ length: 300 }, (_, i) => gfs.promises.writeFile(`${root}/many${i}`, "x"))).then((l) => l.length),
  await rimraf(`${root}/many*`, { glob: true }),
  sort(fs.readdirSync(root)),
);
console.log(
  rel(await findUp("package.json", { cwd: `${root}/src/a` })),
  rel(findUpSync(["zz", ".gitignore"], { cwd: `${root}/lib/deep` })),
  rel(await packageDirectory({ cwd: `${root}/lib/deep` })) === "",
  rel(resolve.sync("m", { basedir: `${root}/src` })),
  rel(resolve.sync("./c", { basedir: `${root}/src`, extensions: [".ts"] })),
);
try {
  resolve.sync("gone", { basedir: root });
} catch (e) {
  console.log(e.code);
}
console.log(
  rel(enhanced.create.sync({ conditionNames: ["require"] })(root, "m")),
  rel(enhanced.create.sync({ extensions: [".ts", ".js"] })(`${root}/src`, "./c")),
  (await cosmiconfig("tool", { searchPlaces: ["package.json"] }).search(root)).config,
);
console.log(
  mime.getType("x.tar.gz"),
  mime.getExtension("text/html; charset=utf8"),
  mimeTypes.lookup("a.json"),
  mimeTypes.contentType("md"),
  mimeTypes.extension("image/svg+xml"),
);
console.log(
  dotenv.parse("A=1\nB='x y' # c\nexport C=\"l\\nm\"\n# z\nD=`q\"'`\nE="),
  expand({ processEnv: {}, parsed: dotenv.parse("H=h\nU=${H}/u:${N:-d}\nV=\\$x") }).parsed,
);
fs.rmSync(root, { recursive: true });
