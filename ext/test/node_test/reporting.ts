// Connects the events of a root with reporters: those that are built in, and those of modules.
// https://nodejs.org/api/test.html#test-reporters

import type { Root } from "internal/test/node_test/root";
import { codes } from "internal/core/errors";

const noop = () => {};

/** Connects the reporters of the command line, each with where it writes to. */
export async function setUpReporters(made: Root): Promise<void> {
  const { reporters, destinations } = made.config;
  if (reporters.length === 0 && destinations.length === 0) reporters.push("spec");
  if (destinations.length === 0 && reporters.length === 1) destinations.push("stdout");
  if (destinations.length !== reporters.length) {
    throw new codes.ERR_INVALID_ARG_VALUE(
      "--test-reporter",
      reporters,
      "must match the number of specified '--test-reporter-destination'",
    );
  }
  const { formatters } = require("internal/test/node_test/report");
  for (let index = 0; index < reporters.length; index++) {
    const name = reporters[index]!;
    if (name === "frames") {
      const { frameOf } = require("internal/test/node_test/frames");
      const { writeAll } = require("internal/test/pipes");
      made.sinks.push((type, data) => writeAll(1, frameOf(type, data)));
      if (process.env.WATCH_REPORT_DEPENDENCIES !== undefined)
        made.closing.push(() => made.emit("internal:loaded", { files: loadedFiles() } as object));
      continue;
    }
    const destination =
      destinations[index] === "stdout"
        ? process.stdout
        : destinations[index] === "stderr"
          ? process.stderr
          : require("node:fs").createWriteStream(destinations[index]!);
    const isOwn = destination !== process.stdout && destination !== process.stderr;
    const own = formatters[name];
    if (own !== undefined) {
      const format = own((destination as { isTTY?: boolean }).isTTY === true);
      made.sinks.push((type, data) => {
        const text = format(type, data);
        if (text !== "") destination.write(text);
      });
      if (isOwn) made.closing.push(() => new Promise((resolve) => destination.end(resolve as () => void)));
      continue;
    }
    await custom(made, name, destination);
  }
  made.ready();
}

function loadedFiles(): string[] {
  const { cache } = require("internal/module/cjs");
  return [...new Set([...Object.keys(cache), ...native("loader").loadedFiles()])];
}

async function custom(made: Root, name: string, destination: unknown): Promise<void> {
  const { createRequire } = require("node:module");
  const { pathToFileURL } = require("node:url");
  const resolve = createRequire(process.cwd() + "/");
  const target = /^(?:file|data|node):/.test(name) ? name : pathToFileURL(resolve.resolve(name)).href;
  const loaded = await import(target);
  const reporter = loaded.default ?? loaded;
  if (reporter === undefined || (typeof reporter !== "function" && typeof reporter !== "object")) {
    throw new codes.ERR_INVALID_ARG_VALUE("Reporter", reporter, "is not a kind of reporter");
  }
  const { Readable } = require("node:stream");
  const events = new Readable({ objectMode: true, read: noop, highWaterMark: 1e9 });
  const isClass =
    typeof reporter === "function" &&
    reporter.prototype &&
    Object.getOwnPropertyDescriptor(reporter.prototype, "constructor") &&
    !/Generator/.test(reporter.constructor.name);
  const output = events.compose(isClass ? new reporter() : reporter);
  const ended = new Promise<void>((done) => output.on("end", done).on("error", done));
  output.pipe(destination, { end: destination !== process.stdout && destination !== process.stderr });
  made.sinks.push((type, data) => events.push({ type, data }));
  made.closing.push(() => {
    events.push(null);
    return ended;
  });
}
