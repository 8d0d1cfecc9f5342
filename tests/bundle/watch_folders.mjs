// expected: written by hand
// `bao build --watch` goes on if folders are replaced, removed and made again, as by a change of branches, and if files are written anew.
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const folder = mkdtempSync(join(tmpdir(), "watch-folders-"));
const at = (name) => join(folder, name);
const write = (name, text) => {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), text);
};
const main = 'import { word } from "./deep/word.js";\nconsole.log(word);\n';
const word = (value, base = "src/deep") => write(`${base}/word.js`, `export const word = "${value}";\n`);
word("first");
write("src/main.js", main);

const child = spawn(process.execPath, ["build", "src/main.js", "--outfile=out/main.js", "--watch"], { cwd: folder, stdio: ["pipe", "ignore", "ignore"] });

/** Whether the result comes to have a value. */
async function has(value) {
  for (let round = 0; round < 1200; round++) {
    try {
      if (readFileSync(at("out/main.js"), "utf8").includes(`"${value}"`)) return true;
    } catch {
      // Not there yet.
    }
    await sleep(50);
  }
  return false;
}

try {
  console.log("at first", await has("first"));
  word("branch", "other/deep");
  write("other/main.js", main);
  renameSync(at("src"), at("old"));
  renameSync(at("other"), at("src"));
  console.log("the folder of all replaced", await has("branch"));
  word("edited");
  console.log("an edit in it", await has("edited"));
  rmSync(at("src"), { recursive: true });
  word("anew");
  write("src/main.js", main);
  console.log("removed and made again", await has("anew"));
  word("once more");
  console.log("an edit in it", await has("once more"));
  word("inner", "inner");
  renameSync(at("src/deep"), at("src/old"));
  renameSync(at("inner"), at("src/deep"));
  console.log("an inner folder replaced", await has("inner"));
  rmSync(at("src/deep/word.js"));
  word("file");
  console.log("a file made again", await has("file"));
  cpSync(at("src"), at("copy"), { recursive: true });
  rmSync(at("src"), { recursive: true });
  word("copied", "copy/deep");
  cpSync(at("copy"), at("src"), { recursive: true });
  console.log("a folder copied", await has("copied"));
} finally {
  child.kill();
  child.once("exit", () => rmSync(folder, { recursive: true }));
}
