/**
 * Jobs of the system's cron daemon: lines of the user's crontab(1), each below a comment with its title. `bao run --cron-title
 * --cron-period FILE` is what such a line calls.
 */

import { invalidType } from "bun/util";

/** Throws a TypeError for a title that a line of a crontab could not hold as it is. */
export function checkTitle(title: string): void {
  if (!/^[A-Za-z0-9_-]+$/.test(title)) {
    throw invalidType("Cron title must contain only alphanumeric characters, hyphens, and underscores");
  }
}

/** Throws a TypeError for a file that is not there, or whose absolute path the line of a crontab cannot say. */
export function checkPath(absolute: string): void {
  if (!require("node:fs").existsSync(absolute)) throw invalidType("Failed to resolve path");
  // % is a new line there, and the path stands between single quotes.
  if (absolute.includes("%")) throw invalidType("Path must not contain percent signs");
  if (absolute.includes("'")) throw invalidType("Path must not contain single quotes");
  if (/[\n\r\0]/.test(absolute)) throw invalidType("Path must not contain line breaks");
}

/** The line above a job. */
const marker = (title: string): string => `# bun-cron: ${title}`;

interface Output {
  code: number | null;
  text: string;
  errors: string;
}

/** Calls crontab with `input` as its standard input. */
async function call(args: string[], input?: string): Promise<Output> {
  const program = Bun.which("crontab");
  if (program === null) throw new Error("crontab not found in PATH");
  const child = Bun.spawn([program, ...args], {
    stdin: input === undefined ? "ignore" : new TextEncoder().encode(input),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [text, errors, code] = await Promise.all([
    new Response(child.stdout as ReadableStream).text(),
    new Response(child.stderr as ReadableStream).text(),
    child.exited,
  ]);
  return { code, text, errors: errors.trim() };
}

function failed({ code, errors }: Output): Error {
  return new Error(`Process exited with code ${code}${errors === "" ? "" : `: ${errors}`}`);
}

/** The lines of the user's crontab; none if there is no crontab yet. */
async function read(): Promise<string[]> {
  const output = await call(["-l"]);
  if (output.code === 0)
    return output.text
      .replace(/\n$/, "")
      .split("\n")
      .filter((line, at, all) => all.length > 1 || line !== "");
  // Only this is told apart by words: what else fails must not look like an empty table, which would then be written.
  if (/no crontab/i.test(output.errors)) return [];
  throw failed(output);
}

function without(lines: string[], title: string): string[] {
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    if (lines[at]!.trimEnd() !== marker(title)) kept.push(lines[at]!);
    else if (lines[at + 1]?.includes(`--cron-title=${title} `)) at++;
  }
  return kept;
}

async function write(lines: string[]): Promise<void> {
  const output = await call(["-"], lines.map((line) => `${line}\n`).join(""));
  if (output.code !== 0) throw failed(output);
}

/** Edits of this process one after the other: each reads the whole table and writes it. */
let last: Promise<void> = Promise.resolve();

function inTurn(edit: () => Promise<void>): Promise<void> {
  const next = last.then(edit);
  last = next.catch(() => {});
  return next;
}

/** Puts a job in, in place of one with the same title. */
export function register(path: string, schedule: string, title: string): Promise<void> {
  const command = `'${process.execPath}' run --cron-title=${title} --cron-period='${schedule}' '${path}'`;
  return inTurn(async () => write([...without(await read(), title), marker(title), `${schedule} ${command}`]));
}

/** Takes a job out; nothing happens if there is none. */
export function unregister(title: string): Promise<void> {
  return inTurn(async () => {
    const lines = await read();
    const kept = without(lines, title);
    if (kept.length !== lines.length) await write(kept);
  });
}

/** A job in the user's crontab. */
interface Registered {
  title: string;
  schedule: string;
  path: string;
}

/** The jobs of the user's crontab that {@link register} has put there, in the order of the table. */
export async function registered(): Promise<Registered[]> {
  const lines = await read();
  const jobs: Registered[] = [];
  for (let at = 0; at + 1 < lines.length; at++) {
    const title = /^# bun-cron: (\S+)\s*$/.exec(lines[at]!)?.[1];
    const found = /--cron-title=(\S+) --cron-period='([^']*)' '([^']*)'/.exec(lines[at + 1]!);
    if (title !== undefined && found?.[1] === title) jobs.push({ title, schedule: found[2]!, path: found[3]! });
  }
  return jobs;
}
