// expected: nothing is missing that left_out.txt does not list, and every line of it still counts
// The names of Bun and Node that bao lacks (tools/surface.mjs; `./x surface` prints them).
import { lacking, leftOut, recorded } from "../../tools/surface.mjs";

const lines = leftOut();
const matches = (line, name) => (line.endsWith("*") ? name.startsWith(line.slice(0, -1)) : name === line);
const used = new Set();
for (const peer of ["bun", "node"]) {
  const names = lacking(recorded(peer));
  const open = names.filter((name) => !lines.some((line) => matches(line, name) && used.add(line)));
  console.log(peer, open.length === 0 ? "nothing is missing beyond the list" : open.join("\n"));
}
const stale = lines.filter((line) => !used.has(line));
console.log(stale.length === 0 ? "the list is as short as it can be" : `take off the list:\n${stale.join("\n")}`);
process.exit();
