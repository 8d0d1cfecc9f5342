// Files with the same contents: `bao duplicates.js DIRECTORY...`. Only files of equal size are read.
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

function* walk(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(name);
    else if (entry.isFile()) yield name;
  }
}

function digest(file) {
  const hash = createHash("sha256");
  return new Promise((resolve, reject) => {
    fs.createReadStream(file)
      .on("data", (chunk) => hash.update(chunk))
      .on("end", () => resolve(hash.digest("hex")))
      .on("error", reject);
  });
}

async function duplicates(folders) {
  const files = folders.flatMap((folder) => [...walk(folder)]);
  const sizes = Map.groupBy(files, (file) => fs.statSync(file).size);
  const same = new Map();
  for (const [size, group] of sizes) {
    if (size === 0 || group.length < 2) continue;
    for (const [index, hash] of (await Promise.all(group.map(digest))).entries()) {
      same.set(hash, [...(same.get(hash) ?? []), group[index]]);
    }
  }
  return [...same].filter(([, group]) => group.length > 1);
}

// Without arguments: a folder with something to find.
async function demonstration() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "duplicates-"));
  try {
    fs.mkdirSync(path.join(folder, "copies"));
    fs.writeFileSync(path.join(folder, "letter.txt"), "the same text");
    fs.writeFileSync(path.join(folder, "copies", "letter (1).txt"), "the same text");
    fs.writeFileSync(path.join(folder, "other.txt"), "as long, but.");
    return (await duplicates([folder])).map(([hash, group]) => [hash, group.map((file) => path.relative(folder, file)).sort()]);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

const folders = process.argv.slice(2);
(folders.length > 0 ? duplicates(folders) : demonstration()).then((found) => {
  for (const [hash, group] of found) console.log(`${hash.slice(0, 12)}  ${group.join("\n" + " ".repeat(14))}`);
  process.exitCode = found.length > 0 ? 0 : 1;
});
