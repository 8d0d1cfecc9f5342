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

function side(value: unknown, name: string, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (typeof value !== "number") throw invalidType(`${name} must be a number`);
  if (!(value >= 1 && value <= MAX_SIDE)) {
    throw Object.assign(new RangeError(`${name} must be between 1 and ${MAX_SIDE}`), { code: "ERR_OUT_OF_RANGE" });
  }
  return Math.trunc(value);
}

function stream(value: unknown, name: string): "inherit" | "ignore" {
  if (value === undefined) return "ignore";
  if (value !== "inherit" && value !== "ignore") throw invalidType(`backend.${name} must be "inherit" or "ignore"`);
  return value;
}

function launchOf(backend: unknown): Launch {
  const none: Launch = { path: undefined, argv: [], stdout: "ignore", stderr: "ignore", url: undefined };
  const wrong = () => invalidType('backend must be "webkit", "chrome", or an object with such a type');
  const noWebKit = () => {
    const error: NodeError = new Error('backend "webkit" exists on macOS only: use backend: "chrome"');
    error.code = "ERR_METHOD_NOT_IMPLEMENTED";
    return error;
  };
  if (backend === undefined || backend === "webkit") throw noWebKit();
  if (backend === "chrome") return none;
  if (typeof backend !== "object" || backend === null) throw wrong();
  const { type, url, path, argv, stdout, stderr } = backend as Record<string, unknown>;
  if (type === "webkit") throw noWebKit();
  if (type !== "chrome") throw wrong();
  if (path !== undefined && typeof path !== "string") throw invalidType("backend.path must be a string");
  if (argv !== undefined && !Array.isArray(argv)) throw invalidType("backend.argv must be an array");
  if (argv?.some((each: unknown) => typeof each !== "string"))
    throw invalidType("backend.argv entries must be strings");
  if (typeof url === "string" && (path !== undefined || argv !== undefined)) {
    throw invalidType("backend.url (connect mode) cannot be combined with the spawn options path and argv");
  }
  return {
    path: path as string | undefined,
    argv: (argv as string[] | undefined) ?? [],
    stdout: stream(stdout, "stdout"),
    stderr: stream(stderr, "stderr"),
    url: typeof url === "string" ? url : undefined,
  };
}

/** Reads the options of the constructor. */
export function optionsOf(value: unknown): ViewOptions {
  if (value !== undefined && (typeof value !== "object" || value === null)) {
    throw invalidType("WebView options must be an object");
  }
  const given = (value ?? {}) as Record<string, unknown>;
  if (given.url !== undefined && typeof given.url !== "string") throw invalidType("url must be a string");
  if (given.headless === false) {
    throw Object.assign(new Error("headless: false is not implemented"), { code: "ERR_METHOD_NOT_IMPLEMENTED" });
  }
  if (given.dataStore !== undefined && given.dataStore !== "ephemeral") {
    throw require("bun/util").notImplemented("Bun.WebView with a dataStore on disk");
  }
  const sink = given.console;
  if (sink !== undefined && typeof sink !== "function" && (typeof sink !== "object" || sink === null)) {
    throw invalidType("console must be a console or a function");
  }
  return {
    width: side(given.width, "width", WIDTH),
    height: side(given.height, "height", HEIGHT),
    url: given.url as string | undefined,
    launch: launchOf(given.backend),
    console: sink as object | Function | undefined,
  };
}
