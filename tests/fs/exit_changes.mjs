// expected: recorded from node 25.9.0. What was asked of the file system without waiting is done before the process ends: a log's last lines.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const [, , how, folder] = process.argv;
const COUNT = 64;
const nothing = () => {};

if (how === undefined) {
  for (const how of ["exit", "throw", "reject"]) {
    const folder = fs.mkdtempSync(join(tmpdir(), "exit-changes-"));
    const { status, stdout } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), how, folder], { encoding: "utf8" });
    const lines = new Set(stdout.split("\n").filter(Boolean));
    console.log(how, status, "lines", lines.size, "folders", fs.readdirSync(folder).length);
    fs.rmSync(folder, { recursive: true });
  }
} else {
  for (let i = 0; i < COUNT; i++) {
    fs.write(1, `line ${i}\n`, nothing);
    fs.mkdir(join(folder, `${i}`), nothing);
  }
  if (how === "exit") process.exit(3);
  if (how === "throw") throw new Error("not caught");
  Promise.reject(new Error("not caught"));
}
