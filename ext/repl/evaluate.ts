/** How node:repl evaluates what is typed: as an expression where it can be, with `await` at its top level. */
import type { REPLServer } from "internal/repl/server";
import { codes } from "internal/core/errors";
import { ParseError, processTopLevelAwait, sessionScript } from "internal/repl/syntax";
import {
  REPL_MODE_STRICT,
  Recoverable,
  describeSyntaxError,
  isObjectLiteral,
  isRecoverable,
  isRedeclaration,
  isValidSyntax,
} from "internal/repl/utils";

const vm = require("node:vm");
// What is typed may declare variables of these names, which all scripts see.
const { process, RegExp } = globalThis;

/** What a domain marks. */
export interface Thrown {
  domainThrown?: unknown;
  domain?: unknown;
}

/** A domain of node:domain. */
export interface Domain {
  bind<T>(fn: T): T;
  on(type: "error", listener: (error: Thrown | null | undefined) => void): void;
  emit(type: "error", error: unknown): void;
  exit(): void;
}

/** `process`, of which the active domain is part once domains are used. */
export type WithDomain = { domain?: Domain | null };

export type EvalCallback = (error?: NodeError | null, result?: unknown) => void;

/** Whether the process was started with an option. */
export function option(name: string): boolean {
  return process.execArgv.includes(name);
}

/** RegExp.$1 to $9 of the code in the REPL, which our own searches must not change. */
let savedMatches = ["", "", "", "", "", "", "", "", ""];
const separator = "\0\0\0";
const restoring = new RegExp(`^(.*)${`${separator}(.*)`.repeat(8)}$`, "s");

function saveMatches(): void {
  const any = RegExp;
  savedMatches = [any.$1, any.$2, any.$3, any.$4, any.$5, any.$6, any.$7, any.$8, any.$9];
}

/** A SyntaxError that may go away with more input. */
interface Incomplete extends Error {
  incomplete?: boolean;
}

/** The value of a script with `await` at its top level. */
type Settled = Promise<{ value?: unknown } | null | undefined>;

/**
 * Runs what was typed, as REPLServer's `eval` unless the options name another one.
 *
 * @param callback Called with the error, a Recoverable one where more input may help, or with the result.
 * @param settled Called after an `await` at the top level: keys that were held go on.
 */
export function evaluateCode(
  self: REPLServer,
  code: string,
  context: object,
  file: string,
  callback: EvalCallback,
  settled: () => void,
): void {
  const input = code;
  let error: unknown = null;
  let wrapped = false;
  let awaiting = false;

  if (self._session) {
    try {
      if (!isObjectLiteral(code) || !isValidSyntax(code)) code = sessionScript(code);
    } catch (reason) {
      if (!(reason instanceof ParseError)) return callback(reason as NodeError);
      if (reason.incomplete || isRecoverable(code, true)) return callback(new Recoverable(reason));
      // The engine says it in its own way below.
    }
  }
  if (isObjectLiteral(code) && isValidSyntax(code)) {
    code = `(${code.trim()})\n`;
    wrapped = true;
  }
  const plain = wrapped ? input : code;
  if (code.includes("await") && !option("--no-experimental-repl-await")) {
    try {
      const rewritten = processTopLevelAwait(code);
      if (rewritten !== null) {
        code = rewritten;
        wrapped = true;
        awaiting = true;
      }
    } catch (reason) {
      const recoverable = (reason as Incomplete).incomplete === true || isRecoverable(code.replace(/\bawait\b/g, ""));
      error = recoverable ? new Recoverable(reason) : reason;
      if (!recoverable) {
        delete (reason as Incomplete).incomplete;
        (reason as Incomplete).stack = `SyntaxError: ${(reason as Incomplete).message}`;
      }
    }
  }
  if (code === "\n") return callback(null);

  let script!: InstanceType<typeof vm.Script>;
  let firstError: unknown;
  while (error === null) {
    const strict = self.replMode === REPL_MODE_STRICT && !/^\s*$/.test(code);
    try {
      // `void 0`, or the directive would be the value of what has none.
      script = new vm.Script(strict ? `'use strict'; void 0;\n${code}` : code, {
        filename: file,
        importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      });
      break;
    } catch (reason) {
      if (wrapped) {
        firstError = reason;
        wrapped = false;
        awaiting = false;
        code = plain;
        continue;
      }
      if (isRecoverable(code)) {
        error = new Recoverable(firstError ?? reason);
      } else {
        error = firstError ?? reason;
        describeSyntaxError(error as Error, code.replace(/\n$/, ""));
      }
    }
  }

  restoring.exec(savedMatches.join(separator));
  let finished = false;
  const finish = (reason: unknown, result?: unknown) => {
    if (finished) return;
    finished = true;
    saveMatches();
    callback(reason as NodeError | null, result);
  };
  if (error !== null) return finish(error);

  let result!: Settled;
  let wasRaw: boolean | undefined;
  if (self.breakEvalOnSigint) wasRaw = self._setRawMode(false);
  try {
    const options = { displayErrors: false, breakOnSigint: self.breakEvalOnSigint };
    result = (self.useGlobal ? script.runInThisContext(options) : script.runInContext(context, options)) as Settled;
  } catch (reason) {
    if (isRedeclaration(reason)) describeSyntaxError(reason as Error, code.replace(/\n$/, ""));
    const active = (process as WithDomain).domain;
    if (active) {
      saveMatches();
      active.emit("error", reason);
      active.exit();
      return;
    }
    return finish(reason);
  } finally {
    if (self.breakEvalOnSigint) self._setRawMode(wasRaw);
  }
  if (!awaiting) return finish(null, result);

  // Keys wait until the promise is settled.
  self._held ??= [];
  let interrupt: (() => void) | undefined;
  if (self.breakEvalOnSigint) {
    result = Promise.race([
      result,
      new Promise<never>((_resolve, reject) => {
        interrupt = () => {
          const { stackTraceLimit } = Error;
          Error.stackTraceLimit = 0;
          const reason = new codes.ERR_SCRIPT_EXECUTION_INTERRUPTED();
          Error.stackTraceLimit = stackTraceLimit;
          reject(reason);
        };
        self._sigintTasks.add(interrupt);
      }),
    ]);
  }
  result
    .then(
      (outcome) => finish(null, outcome?.value),
      (reason: unknown) => {
        const active = (process as WithDomain).domain;
        if (reason && active) {
          active.emit("error", reason);
          active.exit();
        } else {
          finish(reason);
        }
      },
    )
    .finally(() => {
      if (interrupt !== undefined) self._sigintTasks.delete(interrupt);
      settled();
    });
}
