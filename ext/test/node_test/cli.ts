// `--test`: https://nodejs.org/api/test.html#running-tests-from-the-command-line

import type { EventData } from "internal/test/node_test/types";
import type { Plan, RunOptions } from "internal/test/node_test/run";
import { codes } from "internal/core/errors";
import { setUpReporters } from "internal/test/node_test/reporting";
import { numberOf, textOf } from "internal/test/node_test/settings";

const option = native("process").cliOption;

function shardOf(text: string): { index: number; total: number } {
  const parts = /^(\d+)\/(\d+)$/.exec(text);
  if (parts === null)
    throw new codes.ERR_INVALID_ARG_VALUE("--test-shard", text, "must be in the form of <index>/<total>");
  return { index: Number(parts[1]), total: Number(parts[2]) };
}

function coverageOptions(): RunOptions {
  const { globsOf, thresholdsOf } = require("internal/test/node_test/coverage");
  const { include, exclude } = globsOf();
  const { lines, branches, functions } = thresholdsOf();
  return {
    coverageIncludeGlobs: include,
    coverageExcludeGlobs: exclude,
    lineCoverage: lines,
    branchCoverage: branches,
    functionCoverage: functions,
  };
}

function optionsOf(): RunOptions {
  const isolation = textOf("--test-isolation") ?? "process";
  const patterns = process.argv.slice(1);
  const coverage = option("--experimental-test-coverage") === true;
  const wanted = coverage ? coverageOptions() : {};
  const options: RunOptions = {
    isolation,
    concurrency: isolation === "none" ? 1 : (numberOf("--test-concurrency") ?? true),
    watch: option("--watch") === true,
    globPatterns: patterns.length > 0 ? patterns : undefined,
    coverage,
    ...wanted,
    globalSetupPath: textOf("--test-global-setup"),
  };
  const shard = textOf("--test-shard");
  if (shard !== undefined) options.shard = shardOf(shard);
  return options;
}

/** Connects the reporters with the run, and its end by a signal and by its result with the process. */
async function prepare(one: Plan): Promise<void> {
  const { root } = one;
  root.sinks.push((type: string, data: EventData) => {
    if (type === "test:summary" && data.file === undefined && !data.success) process.exitCode = 1;
  });
  const streams = { stdout: process.stdout, stderr: process.stderr };
  const { destinations } = root.config;
  const targets = destinations.length === 0 ? ["stdout"] : destinations;
  one.colors = targets.some((name) => (streams as Record<string, { isTTY?: boolean }>)[name]?.isTTY === true);
  for (const name of ["SIGINT", "SIGTERM"]) process.once(name, () => interrupted(one));
  await setUpReporters(root);
}

function interrupted(one: Plan): void {
  const { root } = one;
  const running = root.subtests.filter((test) => test.startTime !== undefined && !test.finished);
  const names = running.map((test) => test.name).join(", ");
  if (names !== "") root.diagnostic(`Interrupted while running: ${names}`);
  for (const test of running) test.cancel();
  void root.end().then(() => {
    one.cleanUp();
    process.exit(1);
  });
}

/** Runs the files that the arguments name. */
export function start(): void {
  const { begin } = require("internal/test/node_test/run");
  begin(optionsOf(), prepare).stream.resume();
}
