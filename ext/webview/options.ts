/** Options of `Bun.WebView`, checked in Bun's words. */

import type { Launch } from "internal/webview/browser";
import { invalidType } from "bun/util";

interface ViewOptions {
  width: number;
  height: number;
  url: string | undefined;
  launch: Launch;
  console: object | Function | undefined;
}

/** The longest side of a view, and that of a new one. */
const MAX_SIDE = 16384;
const [WIDTH, HEIGHT] = [800, 600];

/** A TypeError with the code ERR_INVALID_ARG_VALUE. */
function invalidValue(message: string): TypeError {
  return Object.assign(new TypeError(message), { code: "ERR_INVALID_ARG_VALUE" });
}

/** The error of what Bun does not have here either. */
const missing = (message: string): Error => Object.assign(new Error(message), { code: "ERR_METHOD_NOT_IMPLEMENTED" });

function side(value: unknown, name: string, otherwise: number): number {
  if (typeof value !== "number") return otherwise;
  if (!(value >= 1 && value <= MAX_SIDE)) {
    const range = `It must be >= 1 and <= ${MAX_SIDE}. Received ${value}`;
    throw Object.assign(new RangeError(`The value of "${name}" is out of range. ${range}`), {
      code: "ERR_OUT_OF_RANGE",
    });
  }
  return Math.trunc(value);
}

function stream(value: unknown, name: string): "inherit" | "ignore" {
  if (value === undefined) return "ignore";
  if (value !== "inherit" && value !== "ignore") throw invalidValue(`backend.${name} must be "inherit" or "ignore"`);
  return value;
}

function launchOf(backend: unknown): Launch {
  const { type, url, path, argv, stdout, stderr } = (
    typeof backend === "object" && backend !== null ? backend : { type: backend ?? "chrome" }
  ) as Record<string, unknown>;
  if (type === "webkit") {
    throw missing('Bun.WebView with backend "webkit" is only available on macOS; use backend: "chrome"');
  }
  if (type !== "chrome") throw invalidValue('backend.type must be "webkit" or "chrome"');
  if (path !== undefined && typeof path !== "string") throw invalidType("backend.path must be a string");
  if (argv !== undefined && !Array.isArray(argv)) throw invalidType("backend.argv must be an array of strings");
  if (argv?.some((each: unknown) => typeof each !== "string"))
    throw invalidType("backend.argv entries must be strings");
  if (typeof url === "string" && (path !== undefined || argv !== undefined)) {
    throw invalidValue("backend.url (connect mode) cannot be combined with backend.path or backend.argv (spawn mode)");
  }
  return {
    path: path as string | undefined,
    argv: (argv as string[] | undefined) ?? [],
    stdout: stream(stdout, "stdout"),
    stderr: stream(stderr, "stderr"),
    url: typeof url === "string" ? url : undefined,
    folder: undefined,
  };
}

/** Reads the options of the constructor. */
export function optionsOf(value: unknown): ViewOptions {
  const given = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  if (given.url !== undefined && typeof given.url !== "string") throw invalidType("url must be a string");
  if (given.headless === false) throw missing("headless: false is not yet implemented");
  const sink = given.console;
  if (sink !== undefined && typeof sink !== "function" && sink !== globalThis.console) {
    throw invalidType("console must be globalThis.console or a function");
  }
  const launch = launchOf(given.backend);
  const { dataStore } = given;
  if (typeof dataStore === "object" && dataStore !== null) {
    const { directory } = dataStore as { directory?: unknown };
    if (typeof directory !== "string") throw invalidType("dataStore.directory must be a string");
    launch.folder = require("node:path").resolve(directory);
  }
  return {
    width: side(given.width, "width", WIDTH),
    height: side(given.height, "height", HEIGHT),
    url: given.url as string | undefined,
    launch,
    console: sink as object | Function | undefined,
  };
}
