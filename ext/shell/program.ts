// Starting programs: arguments and environment as bytes, descriptors of the system as they are, pipes for the rest.

import { Descriptor, DescriptorError, FileDescriptor, makePipe } from "internal/shell/descriptors";
import { encode } from "internal/shell/bytes";
import { STDIO_FD, STDIO_IGNORE, STDIO_INPUT, STDIO_OUTPUT } from "internal/child_process/native_constants";

import type { Interpreter } from "internal/shell/interpreter";

const child = native("child");
const isMainThread = native("process").isMainThread();

/** What a program that was started by the names of this one is, if nothing else has the name. */
const OWN_NAMES = new Set(["bun", "bao"]);
const ENOENT = -2;
const SIGTERM = 15;

/** Text with NUL between its items: a string, or bytes if it is not UTF-8. */
function joined(items: readonly string[]): string | Uint8Array<ArrayBuffer> {
  const text = items.join("\0");
  return text.isWellFormed() ? text : encode(text);
}

function environmentOf(
  shell: Interpreter,
  temporary: Map<string, string>,
): string | Uint8Array<ArrayBuffer> | undefined {
  const { state } = shell;
  if (!state.changed && temporary.size === 0 && isMainThread && state.base === process.env) return undefined;
  const all = state.environment();
  for (const [name, value] of temporary) all.set(name, value);
  const items: string[] = [];
  for (const [name, value] of all) items.push(`${name}=${value}`);
  return joined(items);
}

/** Writes what a descriptor has into the input of a program. */
async function feed(pipe: number, from: Descriptor): Promise<void> {
  try {
    for (;;) {
      const bytes = await from.read();
      if (bytes === undefined) break;
      const { promise, resolve } = Promise.withResolvers<number>();
      const result = child.pipeWrite(pipe, bytes, -1, resolve);
      if (result < 0 || (result === 1 && (await promise) < 0)) break;
    }
  } finally {
    child.pipeClose(pipe);
  }
}

/** Hands on what a program writes to a descriptor that the system does not know, one chunk after the other. */
function drain(pipe: number, to: Descriptor): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const errno = child.pipeRead(pipe, (code: number, bytes: Uint8Array | undefined) => {
    if (bytes === undefined) {
      child.pipeClose(pipe);
      resolve();
      return;
    }
    void code;
    let written: void | Promise<void>;
    try {
      written = to.write(bytes);
    } catch (error) {
      // The other side is told by the closed pipe.
      child.pipeClose(pipe);
      if (error instanceof DescriptorError) resolve();
      else reject(error);
      return;
    }
    if (written === undefined) return;
    child.pipeStop(pipe);
    written.then(
      () => {
        child.pipeResume(pipe);
      },
      (error) => {
        child.pipeClose(pipe);
        if (error instanceof DescriptorError) resolve();
        else reject(error);
      },
    );
  });
  if (errno < 0) {
    child.pipeClose(pipe);
    resolve();
  }
  return promise;
}

/** The same for a pipe that several numbers of the program share. */
async function copy(from: FileDescriptor, to: Descriptor): Promise<void> {
  try {
    for (;;) {
      const bytes = await from.read();
      if (bytes === undefined) return;
      await to.write(bytes);
    }
  } catch (error) {
    if (!(error instanceof DescriptorError)) throw error;
  } finally {
    from.release();
  }
}

/** Runs a program to its end: the exit status, or a negative errno if it could not be started. */
export async function startProgram(
  shell: Interpreter,
  words: string[],
  temporary: Map<string, string>,
): Promise<number> {
  const { descriptors, run, state } = shell;
  const highest = Math.max(2, ...descriptors.keys());
  const stdio: number[] = [];
  const inputs: Array<[number, Descriptor]> = [];
  const outputs: Array<[number, Descriptor]> = [];
  /** Pipes for what several numbers share: `2>&1` into collected output keeps its order. */
  const shared = new Map<Descriptor, { reader: FileDescriptor; writer: FileDescriptor }>();
  for (let fd = 0; fd <= highest; fd++) {
    const descriptor = descriptors.get(fd);
    if (descriptor === undefined) {
      stdio.push(STDIO_IGNORE, -1);
    } else if ((fd === 0 || descriptor.fd < 0) && descriptor.holdsBytes) {
      inputs.push([fd, descriptor]);
      stdio.push(STDIO_INPUT, -1);
    } else if (descriptor.fd >= 0) {
      stdio.push(STDIO_FD, descriptor.fd);
    } else {
      const twice = [...descriptors].some(([other, held]) => other !== fd && held === descriptor);
      if (twice) {
        let pair = shared.get(descriptor);
        if (pair === undefined) {
          const { reader, writer } = makePipe();
          pair = { reader, writer };
          shared.set(descriptor, pair);
        }
        stdio.push(STDIO_FD, pair.writer.fd);
      } else {
        outputs.push([fd, descriptor]);
        stdio.push(STDIO_OUTPUT, -1);
      }
    }
  }
  let file = words[0]!;
  const { promise, resolve } = Promise.withResolvers<number>();
  const ended = (code: number, signal: number) => resolve(signal !== 0 ? 128 + signal : code);
  const environment = environmentOf(shell, temporary);
  const start = () =>
    child.spawn(file, joined(words), environment, state.cwd, stdio, 0, undefined, undefined, -1, ended);
  let [errno, id, pid, pipes] = start();
  if (errno === ENOENT && OWN_NAMES.has(file) && !file.includes("/")) {
    for (const pipe of pipes) if (pipe !== -1) child.pipeClose(pipe);
    file = process.execPath;
    [errno, id, pid, pipes] = start();
  }
  for (const { writer } of shared.values()) writer.release();
  if (errno !== 0) {
    for (const pipe of pipes) if (pipe !== -1) child.pipeClose(pipe);
    for (const { reader } of shared.values()) reader.release();
    return errno;
  }
  shell.onStart?.(pid);
  run.programs.add(id);
  if (run.aborted !== undefined) child.kill(id, SIGTERM);
  const draining = outputs.map(([fd, descriptor]) => drain(pipes[fd]!, descriptor));
  for (const [descriptor, { reader }] of shared) draining.push(copy(reader, descriptor));
  for (const [fd, descriptor] of inputs) {
    // A stream that fails gives the program the end of its input, and the command its error.
    void feed(pipes[fd]!, descriptor).catch((error) => {
      if (!(error instanceof DescriptorError)) run.aborted ??= error;
    });
  }
  const status = await promise;
  run.programs.delete(id);
  child.release(id);
  if (draining.length > 0) await Promise.all(draining);
  return status;
}
