// The synchronous half: spawnSync() and the errors of execSync() and execFileSync().

import { codes, errnoException, genericNodeError } from "internal/core/errors";
import {
  INHERITED,
  environment,
  killSignalNumber,
  normalizeSpawnArguments,
  signalName,
  validateMaxBuffer,
  validateTimeout,
} from "internal/child_process/options";
import { parseStdio, stdioNumbers } from "internal/child_process/stdio";
import buffer from "node:buffer";

import type { ProcessOptions, SpawnOptions, SyncResult } from "internal/child_process/types";

const { Buffer } = buffer;

const ops = native("child");

/** Bytes of output after which a process is ended, unless `maxBuffer` says otherwise. */
const MAX_BUFFER = 1024 * 1024;

function inputBytes(input: unknown, encoding: unknown, index: number): Uint8Array | undefined {
  if (input === undefined || input === null) return undefined;
  if (ArrayBuffer.isView(input)) return input as Uint8Array;
  if (typeof input === "string") return Buffer.from(input, encoding === "buffer" ? undefined : encoding);
  throw new codes.ERR_INVALID_ARG_TYPE(
    `options.stdio[${index}]`,
    ["Buffer", "TypedArray", "DataView", "string"],
    input,
  );
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
}

/** What the binding's `spawn` gives: as SyncResult, with the errno of a start that failed and outputs as bytes. */
interface Outcome {
  error?: number;
  output: (Buffer | null)[] | null;
  pid: number;
  signal: string | null;
  status: number | null;
}

/** Runs the process that `options` describe, with `stdio` as parseStdio() gives it and inputs as bytes. */
function run(options: SpawnOptions): Outcome {
  const entries = options.stdio as ReturnType<typeof parseStdio>["entries"];
  const [errno, pid, exit, output] = ops.spawnSync(
    options.file,
    options.args.join("\0"),
    options.envPairs === INHERITED ? undefined : options.envPairs.join("\0"),
    options.cwd || undefined,
    stdioNumbers(entries),
    options.detached ? 1 : 0,
    options.uid ?? undefined,
    options.gid ?? undefined,
    -1,
    entries.map((entry) => entry.input as Uint8Array | undefined),
    options.timeout ?? 0,
    options.maxBuffer ?? 0,
    (options.killSignal as number) || 15,
  );
  const signal = exit === undefined ? 0 : exit[1];
  const outcome: Outcome = {
    pid,
    status: exit === undefined || signal !== 0 ? null : exit[0],
    signal: signal === 0 ? null : signalName(signal),
    output: pid === 0 ? null : output.map((bytes) => (bytes === undefined ? null : toBuffer(bytes))),
  };
  if (errno !== 0) outcome.error = errno;
  return outcome;
}

/** `process.binding("spawn_sync")`: packages such as process-on-spawn (nyc, tap) put a `spawn` of their own here. */
export const binding = { spawn: run };

/** child_process.spawnSync(): runs a program and returns what came of it. */
export function spawnSync(file: unknown, args?: unknown, options?: ProcessOptions | SpawnOptions): SyncResult {
  const settings = {
    __proto__: null,
    maxBuffer: MAX_BUFFER,
    ...normalizeSpawnArguments(file, args, options),
  } as unknown as SpawnOptions;
  validateTimeout(settings.timeout);
  validateMaxBuffer(settings.maxBuffer);
  settings.killSignal = killSignalNumber(settings.killSignal);
  const { entries } = parseStdio(settings.stdio || "pipe", true);
  // With input the first entry is a pipe, whatever it was.
  if (settings.input) entries[0] = { type: "pipe", input: settings.input };
  entries.forEach((entry, i) => (entry.input = inputBytes(entry.input, settings.encoding, i)));
  settings.stdio = entries as unknown as SpawnOptions["stdio"];
  // Who has replaced the function reads the variables.
  if (binding.spawn !== run && settings.envPairs === INHERITED) settings.envPairs = environment(process.env);

  const outcome = binding.spawn(settings);
  const result = {} as SyncResult;
  if (outcome.error) {
    const error: SyncResult["error"] & object = errnoException(outcome.error, `spawnSync ${settings.file}`);
    error.path = settings.file;
    error.spawnargs = settings.args.slice(1);
    result.error = error;
  }
  result.status = outcome.status;
  result.signal = outcome.signal;
  result.output = outcome.output === null ? null! : outcome.output.map((bytes) => decode(bytes, settings.encoding)!);
  result.pid = outcome.pid;
  result.stdout = result.output && result.output[1]!;
  result.stderr = result.output && result.output[2]!;
  return result;
}

function decode(buffer: Buffer | null, encoding: string | null | undefined) {
  if (buffer === null) return null;
  return encoding && encoding !== "buffer" ? buffer.toString(encoding) : buffer;
}

/** The error that execSync() and execFileSync() throw for a result, if any. `command`: how the message calls it. */
export function syncError(result: SyncResult, command: string): unknown {
  // With all of the result on it, itself (as `error`) included, as in Node.
  if (result.error) return Object.assign(result.error, result);
  if (result.status === 0) return undefined;
  let message = `Command failed: ${command}`;
  if (result.stderr && result.stderr.length > 0) message += `\n${result.stderr.toString()}`;
  return genericNodeError(message, result);
}
