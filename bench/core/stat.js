// statSync, lstatSync, existsSync and accessSync on 20,000 files, readdirSync of their folders.
const fs = require("node:fs");
const root = process.env.BENCH_TREE;
let size = 0;
let seen = 0;
for (let round = 0; round < 3; round++) {
  for (const folder of fs.readdirSync(root, { withFileTypes: true })) {
    if (!folder.isDirectory()) continue;
    for (const name of fs.readdirSync(`${root}/${folder.name}`)) {
      const file = `${root}/${folder.name}/${name}`;
      const stat = fs.statSync(file);
      if (stat.isFile()) size += stat.size;
      if (fs.existsSync(file)) seen++;
      if (fs.statSync(file + ".no", { throwIfNoEntry: false }) === undefined) seen++;
      if (!fs.lstatSync(file).isSymbolicLink()) seen++;
    }
  }
}
console.log(size, seen);
