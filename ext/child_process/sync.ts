// The synchronous half: spawnSync() and the errors of execSync() and execFileSync().

import { codes, errnoException, genericNodeError } from "internal/core/errors";
import {
  INHERITED,
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

/** child_process.spawnSync(): runs a program and returns what came of it. */
export function spawnSync(file: unknown, args?: unknown, options?: ProcessOptions | SpawnOptions): SyncResult {
  options = { __proto__: null, maxBuffer: MAX_BUFFER, ...normalizeSpawnArguments(file, args, options) } as SpawnOptions;
  validateTimeout(options.timeout);
  validateMaxBuffer(options.maxBuffer);
  const killSignal = killSignalNumber(options.killSignal);
  const { entries } = parseStdio(options.stdio || "pipe", true);
  // With input the first entry is a pipe, whatever it was.
  if (options.input) entries[0] = { type: "pipe", input: options.input };
  const inputs = entries.map((entry, i) => inputBytes(entry.input, options.encoding, i));

  const [errno, pid, exit, output] = ops.spawnSync(
    (options as SpawnOptions).file,
    (options as SpawnOptions).args.join("\0"),
    (options as SpawnOptions).envPairs === INHERITED ? undefined : (options as SpawnOptions).envPairs.join("\0"),
    (options as SpawnOptions).cwd || undefined,
    stdioNumbers(entries),
    options.detached ? 1 : 0,
    options.uid ?? undefined,
    options.gid ?? undefined,
    -1,
    inputs,
    options.timeout ?? 0,
    options.maxBuffer ?? 0,
    killSignal || 15,
  );
  const result = {} as SyncResult;
  if (errno !== 0) {
    const error: SyncResult["error"] & object = errnoException(errno, `spawnSync ${(options as SpawnOptions).file}`);
    error.path = (options as SpawnOptions).file;
    error.spawnargs = options.args!.slice(1);
    result.error = error;
  }
  const signal = exit === undefined ? 0 : exit[1];
  result.status = exit === undefined || signal !== 0 ? null : exit[0];
  result.signal = signal === 0 ? null : signalName(signal);
  result.output = pid === 0 ? null! : output.map((bytes) => decode(bytes, options.encoding)!);
  result.pid = pid;
  result.stdout = result.output && result.output[1]!;
  result.stderr = result.output && result.output[2]!;
  return result;
}

function decode(bytes: Uint8Array | undefined, encoding: string | null | undefined) {
  if (bytes === undefined) return null;
  const buffer = toBuffer(bytes);
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
