// A directory as a tree: `bao tree.mjs [DIRECTORY] [DEPTH]`
import { readdir, stat } from "node:fs/promises";
import path from "node:path";

const [root = path.join(import.meta.dirname, "data"), depth = "3"] = process.argv.slice(2);
let files = 0;
let folders = 0;

function size(bytes) {
  const units = ["B", "KB", "MB", "GB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(bytes || 1) / 10));
  return `${(bytes / 1024 ** power).toFixed(power && 1)} ${units[power]}`;
}

async function show(folder, indent, levels) {
  const entries = await readdir(folder, { withFileTypes: true });
  entries.sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
  for (const [index, entry] of entries.entries()) {
    const last = index === entries.length - 1;
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      folders++;
      console.log(`${indent}${last ? "└" : "├"}── ${entry.name}/`);
      if (levels > 1) await show(name, indent + (last ? "    " : "│   "), levels - 1);
    } else {
      files++;
      console.log(`${indent}${last ? "└" : "├"}── ${entry.name} (${size((await stat(name)).size)})`);
    }
  }
}

console.log(path.basename(root) + "/");
await show(root, "", Number(depth));
console.log(`${folders} directories, ${files} files`);
