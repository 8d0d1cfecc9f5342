// --timings: durations of test files in milliseconds, by path: { "version": 1, "files": { "a.test.ts": 12 } }.

import type { RunConfig, TestFile } from "internal/test/bun_test/types";

/** Durations of all files named; what cannot be read has none. */
function read(paths: string[]): Map<string, number> {
  const { readFileSync } = require("node:fs");
  const found = new Map<string, number>();
  for (const path of paths) {
    try {
      const { files } = JSON.parse(readFileSync(path, "utf8"));
      for (const [name, time] of Object.entries(files ?? {})) if (typeof time === "number") found.set(name, time);
    } catch (error) {
      if ((error as NodeError).code !== "ENOENT")
        process.stderr.write(`warn: --timings ${path}: ${(error as NodeError).message}\n`);
    }
  }
  return found;
}

/** What a file without a duration is taken to last: as long as the others do on average. */
function durations(files: TestFile[], config: RunConfig): { file: TestFile; time: number }[] {
  const known = read(config.timings);
  const times = [...known.values()];
  const average = times.length === 0 ? 1 : times.reduce((a, b) => a + b, 0) / times.length;
  return files.map((file) => ({ file, time: known.get(file[1]!) ?? average }));
}

/** The files, the slowest first. */
export function slowestFirst(files: TestFile[], config: RunConfig): TestFile[] {
  return durations(files, config)
    .sort((a, b) => b.time - a.time)
    .map(({ file }) => file);
}

/** The shards: each file goes, the slowest first, to the shard with the least to do. */
export function balance(files: TestFile[], config: RunConfig): TestFile[][] {
  const shards = Array.from({ length: config.shard![1] }, () => ({ files: [] as TestFile[], time: 0 }));
  for (const { file, time } of durations(files, config).sort((a, b) => b.time - a.time)) {
    const shard = shards.reduce((least, one) => (one.time < least.time ? one : least));
    shard.files.push(file);
    shard.time += time;
  }
  const order = new Map(files.map((file, index) => [file, index]));
  return shards.map((shard) => shard.files.sort((a, b) => order.get(a)! - order.get(b)!));
}

/** Durations measured in this run. */
export const measured = new Map<string, number>();

/** --update-timings: writes what was read and measured to the first file. */
export function update(config: RunConfig): void {
  const all = read(config.timings);
  if (config.shard === undefined) all.clear();
  else for (const [, title] of config.files) all.delete(title);
  const only = config.shard === undefined ? measured : new Map([...all, ...measured]);
  const { writeFileSync } = require("node:fs");
  const files = Object.fromEntries(
    [...only].map(([name, time]) => [name, Math.round(time)] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  try {
    writeFileSync(config.timings[0], `${JSON.stringify({ version: 1, files }, null, 2)}\n`);
  } catch (error) {
    process.stderr.write(`error: --update-timings: ${(error as Error).message}\n`);
  }
}
