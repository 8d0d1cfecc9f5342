/** `node:wasi` (https://nodejs.org/api/wasi.html): programs of the WebAssembly System Interface, preview 1. */

import { codes } from "internal/core/errors";
import { emitExperimentalWarning } from "internal/core/util";
import {
  validateArray,
  validateBoolean,
  validateFunction,
  validateInt32,
  validateObject,
  validateString,
  validateUndefined,
} from "internal/core/validators";
import { errnoOf, Refusal } from "internal/wasi/errno";
import { Preview1 } from "internal/wasi/preview1";
import type { Import, WasmMemory } from "internal/wasi/types";

const { entries } = Object;
/** What a program that ends itself throws through its frames. */
const EXIT = Symbol("exit");
const NAMES: Record<string, string> = { preview1: "wasi_snapshot_preview1", unstable: "wasi_unstable" };

emitExperimentalWarning("WASI");

interface Options {
  version?: unknown;
  args?: unknown;
  env?: unknown;
  preopens?: unknown;
  returnOnExit?: unknown;
  stdin?: unknown;
  stdout?: unknown;
  stderr?: unknown;
}

interface Instance {
  exports: { memory?: unknown; _start?: unknown; _initialize?: unknown };
}

function open(settings: ConstructorParameters<typeof Preview1>[0]): Preview1 {
  try {
    return new Preview1(settings);
  } catch (error) {
    const code = error instanceof Refusal ? error.name : (error as NodeError).code;
    if (errnoOf(error) === 0) throw error;
    const failure: NodeError = new Error(`UVWASI_${code}, uvwasi_init`);
    failure.code = `UVWASI_${code}`;
    failure.syscall = "uvwasi_init";
    throw failure;
  }
}

class WASI {
  /** The functions that a program imports. */
  declare wasiImport: Record<string, Import>;
  #preview: Preview1;
  #name: string;
  #started = false;
  #exitCode = 0;

  constructor(options: Options = {}) {
    // The native functions are denied; files that a program is given are not, so an instance is not made either.
    if (!native("process").permissionHas("wasi", undefined))
      throw new codes.ERR_ACCESS_DENIED(
        "Access to this API has been restricted. Use --allow-wasi to manage permissions.",
        "WASI",
      );
    validateObject(options, "options");
    const { version } = options;
    validateString(version, "options.version");
    const name = NAMES[version];
    if (name === undefined)
      throw new codes.ERR_INVALID_ARG_VALUE("options.version", version, "unsupported WASI version");
    this.#name = name;
    const { args = [], env = {}, preopens = {}, returnOnExit = true, stdin = 0, stdout = 1, stderr = 2 } = options;
    validateArray(args, "options.args");
    validateObject(env, "options.env");
    validateObject(preopens, "options.preopens");
    validateInt32(stdin, "options.stdin", 0);
    validateInt32(stdout, "options.stdout", 0);
    validateInt32(stderr, "options.stderr", 0);
    validateBoolean(returnOnExit, "options.returnOnExit");
    this.#preview = open({
      args: args.map(String),
      env: entries(env)
        .filter(([, value]) => value !== undefined)
        .map(([key, value]) => `${key}=${value}`),
      preopens: entries(preopens).map(([key, value]) => [key, String(value)]),
      stdio: [stdin, stdout, stderr],
      exit: (code) => {
        if (!returnOnExit) process.reallyExit(code);
        this.#exitCode = code;
        throw EXIT;
      },
    });
    this.wasiImport = this.#preview.imports(() => {
      throw new codes.ERR_WASI_NOT_STARTED();
    });
  }

  /** Says whose memory the functions use; a thread's is imported. Throws ERR_WASI_ALREADY_STARTED the second time. */
  finalizeBindings(instance: Instance, options: { memory?: unknown } = {}): void {
    if (this.#started) throw new codes.ERR_WASI_ALREADY_STARTED();
    validateObject(instance, "instance");
    validateObject(instance.exports, "instance.exports");
    const { memory = instance.exports.memory } = options;
    // By its mark: that of a context of node:vm has a class of its own.
    if (Object.prototype.toString.call(memory) !== "[object WebAssembly.Memory]") {
      const error: NodeError = new TypeError('"instance.exports.memory" property must be a WebAssembly.Memory object');
      error.code = "ERR_INVALID_ARG_TYPE";
      throw error;
    }
    this.#preview.start(memory as WasmMemory);
    this.#started = true;
  }

  /** Runs a program (a "command"). Returns its exit code, unless it ends the process (`returnOnExit: false`). */
  start(instance: Instance): number {
    this.finalizeBindings(instance);
    const { _start, _initialize } = instance.exports;
    validateFunction(_start, "instance.exports._start");
    validateUndefined(_initialize, "instance.exports._initialize");
    try {
      _start();
    } catch (error) {
      if (error !== EXIT) throw error;
    }
    return this.#exitCode;
  }

  /** Prepares a library (a "reactor"). */
  initialize(instance: Instance): void {
    this.finalizeBindings(instance);
    const { _start, _initialize } = instance.exports;
    validateUndefined(_start, "instance.exports._start");
    if (_initialize === undefined) return;
    validateFunction(_initialize, "instance.exports._initialize");
    _initialize();
  }

  getImportObject(): Record<string, Record<string, Import>> {
    return { [this.#name]: this.wasiImport };
  }
}

export default { WASI };
