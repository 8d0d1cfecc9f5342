/** `bao cron`: jobs of the system's cron daemon from the command line, those of `Bun.cron(path, schedule, title)`. */

import { checkPath, checkTitle, register, registered, unregister } from "internal/cron/crontab";
import { parseExpression, toCrontab } from "internal/cron/expression";
import { nextTime, zoneOf } from "internal/cron/next";

const HELP = `Usage: bao cron [list]
       bao cron add <title> <schedule> <file>
       bao cron remove <title>
       bao cron next <schedule> [--tz <zone>] [-n <count>]

Jobs of the system's cron daemon, which run default.scheduled() of a file. list shows them, add puts one into the table of the user
(in place of one with the same title), remove takes one out. next prints when a schedule comes, in UTC: from now on, on the clocks of
this machine or of a time zone.

Examples:
  bao cron add backup "0 3 * * *" ./backup.ts
  bao cron next "0 9 * * MON-FRI" --tz Europe/Berlin -n 3
`;

/** What is wrong with the command line. */
class Mistake extends Error {}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function list(words: string[]): Promise<void> {
  if (words.length > 0) throw new Mistake("bao cron list takes no words");
  const jobs = await registered();
  const width = (key: "title" | "schedule") => Math.max(0, ...jobs.map((job) => job[key].length));
  const [titles, schedules] = [width("title"), width("schedule")];
  for (const { title, schedule, path } of jobs)
    print(`${title.padEnd(titles)}  ${schedule.padEnd(schedules)}  ${path}`);
}

async function add(words: string[]): Promise<void> {
  const [title, schedule, file, ...rest] = words;
  if (file === undefined || rest.length > 0) throw new Mistake("bao cron add takes a title, a schedule and a file");
  checkTitle(title!);
  const absolute = require("node:path").resolve(file);
  const fields = toCrontab(parseExpression(schedule!));
  checkPath(absolute);
  await register(absolute, fields, title!);
  print(`${title}  ${fields}  ${absolute}`);
}

async function remove(words: string[]): Promise<void> {
  const [title, ...rest] = words;
  if (title === undefined || rest.length > 0) throw new Mistake("bao cron remove takes a title");
  checkTitle(title);
  if (!(await registered()).some((job) => job.title === title)) throw new Mistake(`there is no job "${title}"`);
  await unregister(title);
}

function next(words: string[]): void {
  const { values, positionals } = require("node:util").parseArgs({
    args: words,
    options: { tz: { type: "string" }, n: { type: "string", short: "n" } },
    allowPositionals: true,
  });
  const [schedule, ...rest] = positionals;
  if (schedule === undefined || rest.length > 0) {
    throw new Mistake("bao cron next takes one schedule: five fields in quotes, or @daily and the like");
  }
  const count = Number(values.n ?? 1);
  if (!Number.isInteger(count) || count < 1) throw new Mistake(`-n takes a number from 1 on: "${values.n}"`);
  const expression = parseExpression(schedule);
  // The system's cron goes by the clock of the machine.
  const zone = zoneOf({ tz: values.tz ?? Temporal.Now.timeZoneId() });
  let time: number | undefined = Date.now();
  for (let n = 0; n < count; n++) {
    time = nextTime(expression, time, zone);
    if (time === undefined) {
      if (n === 0) throw new Mistake(`"${schedule}" does not come within eight years`);
      return;
    }
    print(new Date(time).toISOString());
  }
}

async function run(words: string[]): Promise<void> {
  const [word, ...rest] = words;
  if (words.includes("--help") || words.includes("-h")) process.stdout.write(HELP);
  else if (word === undefined || word === "list") await list(rest);
  else if (word === "add") await add(rest);
  else if (word === "remove") await remove(rest);
  else if (word === "next") next(rest);
  else throw new Mistake(`bao cron knows no "${word}": list, add, remove, next`);
}

/** Does what the command line says; an error ends with status 1. */
export function start(): void {
  run(process.argv.slice(1)).catch((error: unknown) => {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    if (error instanceof Mistake) process.stderr.write("  bao cron --help\n");
    process.exitCode = 1;
  });
}
