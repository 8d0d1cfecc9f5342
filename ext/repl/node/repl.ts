/** node:repl, https://nodejs.org/api/repl.html */
import type { ReplOptions } from "internal/repl/server";
import { REPLServer, shared, writer } from "internal/repl/server";
import {
  REPL_MODE_SLOPPY,
  REPL_MODE_STRICT,
  Recoverable,
  builtinLibs,
  isValidSyntax,
  setBuiltinLibs,
} from "internal/repl/utils";

/** Starts a REPL: `start(options)` or `start(prompt, stream, eval, useGlobal, ignoreUndefined, replMode)`. */
function start(
  prompt?: string | ReplOptions,
  source?: ReplOptions["stream"],
  evaluate?: ReplOptions["eval"],
  useGlobal?: boolean,
  ignoreUndefined?: boolean,
  replMode?: symbol,
): REPLServer {
  return new REPLServer(prompt, source, evaluate, useGlobal, ignoreUndefined, replMode);
}

const repl: unknown = {
  start,
  writer,
  REPLServer,
  REPL_MODE_SLOPPY,
  REPL_MODE_STRICT,
  Recoverable,
  isValidSyntax,
};

function defineLibs(name: string, code: string): void {
  const pending = process.execArgv.includes("--pending-deprecation");
  const { deprecate } = require("internal/core/util");
  const message = `repl.${name} is deprecated. Check module.builtinModules instead`;
  Object.defineProperty(repl, name, {
    get: pending ? deprecate(builtinLibs, message, code) : builtinLibs,
    set: pending ? deprecate(setBuiltinLibs, message, code) : setBuiltinLibs,
    enumerable: false,
    configurable: true,
  });
}
defineLibs("builtinModules", "DEP0191");
defineLibs("_builtinLibs", "DEP0142");

Object.defineProperty(repl, "repl", {
  get: () => shared.repl,
  set: (value) => {
    shared.repl = value;
  },
  enumerable: false,
  configurable: true,
});

export default repl;
