// path: join, resolve, relative, parse, dirname, extname, normalize.
const path = require("node:path");
let sum = 0;
for (let i = 0; i < 700000; i++) {
  const file = path.join("/home/user", "project", "../other", "./src", `file${i}.test.ts`);
  sum += file.length + path.dirname(file).length + path.basename(file, ".ts").length + path.extname(file).length;
  sum += path.relative("/home/user/project/lib", file).length + path.resolve("a/b", "../c").length % 2;
  sum += path.parse(file).name.length;
}
console.log(sum > 0);
