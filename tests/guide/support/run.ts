// Runs the code blocks of a page of docs/guide, in order, in one new folder: `bao run.ts PAGE`. Prints what went wrong, or one line.
// With --write the outputs in the page are replaced by what the blocks print: read the difference before you commit it.
//
// - ```ts, ```js, ```mjs, ```tsx: run by $BAO, or by the executable that runs this file. With a file name after the language (```ts server.ts) the block is that file, and is
//   run only if a ```text block follows.
// - ```sh: run by `sh -e`, with `bao` on PATH.
// - ```text after one of these: what the block must print, on both streams; without one it must print nothing.
// - Any other language needs a file name, which is written.
//
// The folder is called /home/me in what blocks print, and times in brackets ("[1.20ms]") are all the same.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

interface Block {
  /** Line of the page that the block begins in. */
  line: number;
  language: string;
  file: string | undefined;
  text: string;
}

/** Milliseconds after which a block is ended. */
const LIMIT = 60_000;
const PROGRAMS = ["ts", "js", "mjs", "cjs", "tsx", "jsx"];

/** The fenced blocks of a page. */
function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  page.split("\n").forEach((line, index) => {
    const fence = /^```(\w*) ?(\S*)$/.exec(line);
    if (fence === null) {
      if (open !== undefined) open.text += `${line}\n`;
    } else if (open !== undefined) {
      blocks.push(open);
      open = undefined;
    } else {
      open = { line: index + 1, language: fence[1]!, file: fence[2] || undefined, text: "" };
    }
  });
  if (open !== undefined) throw new Error(`line ${open.line}: the block has no end`);
  return blocks;
}

/** Takes out of a text what differs from run to run. */
function plain(text: string, folder: string): string {
  return text.replaceAll(folder, "/home/me").replace(/\[\d+(?:\.\d+)?m?s\]/g, "[1.00ms]");
}

const path = join(import.meta.dir, "../../../docs/guide", `${process.argv[2]}.md`);
const writes = process.argv.includes("--write");
const bao = realpathSync(process.env.BAO ?? process.execPath);
const page = readFileSync(path, "utf8");
const folder = realpathSync(mkdtempSync(join(tmpdir(), "bao-guide-")));
mkdirSync(join(folder, ".bin"));
for (const link of ["bao", "baox"]) symlinkSync(bao, join(folder, ".bin", link));

const environment: Record<string, string> = {
  PATH: `${join(folder, ".bin")}:/usr/local/bin:/usr/bin:/bin`,
  HOME: folder,
  TMPDIR: folder,
  TZ: "UTC",
  LC_ALL: "C.UTF-8",
  NO_COLOR: "1",
  BAO_CACHE: "0",
};
for (const name of ["BAO_LIB", "REDIS_URL", "S3_ENDPOINT"]) if (process.env[name] !== undefined) environment[name] = process.env[name]!;

/** Runs a command in the page's folder: what it prints, and its exit code if that is not 0. */
function run(command: string, ...words: string[]): string {
  const done = spawnSync("sh", ["-c", 'exec "$0" "$@" 2>&1', command, ...words], {
    cwd: folder,
    env: environment,
    encoding: "utf8",
    timeout: LIMIT,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const code = done.status === 0 ? "" : `exit code ${done.status ?? done.signal}\n`;
  return done.stdout + code;
}

/** Writes a file of the page. */
function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** Lines of the page, for --write. */
const lines: (string | undefined)[] = page.split("\n");
let runs = 0;
let failures = 0;
const blocks = blocksOf(page);
blocks.forEach((block, index) => {
  const next = blocks[index + 1];
  const expected = next?.language === "text" && next.file === undefined ? next : undefined;
  let output: string;
  if (block.language === "text" && block.file === undefined) {
    if (index === 0 || !["sh", ...PROGRAMS].includes(blocks[index - 1]!.language)) {
      console.log(`line ${block.line}: there is no program before this output`);
      failures++;
    }
    return;
  }
  if (block.language === "sh" && block.file === undefined) {
    output = run("sh", "-e", "-c", block.text);
  } else if (PROGRAMS.includes(block.language)) {
    const file = block.file ?? `block-${block.line}.${block.language}`;
    write(file, block.text);
    if (block.file !== undefined && expected === undefined) return;
    output = run("bao", file);
  } else if (block.file !== undefined) {
    write(block.file, block.text);
    return;
  } else {
    console.log(`line ${block.line}: a block in "${block.language}" needs the name of a file`);
    failures++;
    return;
  }
  runs++;
  const [is, wanted] = [plain(output, folder), plain(expected?.text ?? "", folder)];
  if (is !== wanted && writes && expected !== undefined) {
    const count = expected.text === "" ? 0 : expected.text.split("\n").length - 1;
    lines.fill(undefined, expected.line, expected.line + count);
    lines[expected.line - 1] = `\`\`\`text\n${is.replace(/\n$/, "")}`;
  } else if (is !== wanted) {
    console.log(`line ${block.line} prints\n${is}instead of\n${wanted}`);
    failures++;
  }
});
if (writes) writeFileSync(path, lines.filter((line) => line !== undefined).join("\n"));
rmSync(folder, { recursive: true, force: true });
if (runs === 0) console.log("the page runs nothing");
else if (failures === 0) console.log("the page is right");
process.exitCode = failures === 0 && runs > 0 ? 0 : 1;
