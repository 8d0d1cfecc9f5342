// Redirections: what stands behind `<`, `>` and their kin becomes a descriptor.

import {
  Descriptor,
  FileDescriptor,
  InputSource,
  MemoryTarget,
  StreamTarget,
  openFile,
  viewOf,
} from "internal/shell/descriptors";
import { encode } from "internal/shell/bytes";
import { expandText, expandWord } from "internal/shell/expand";
import { messageOf } from "internal/shell/errors";
import { ShellFailure } from "internal/shell/errors";

import type { BytesStream, Writer } from "internal/shell/descriptors";
import type { Redirection, Word } from "internal/shell/ast";
import type { Interpreter } from "internal/shell/interpreter";

const O_RDONLY = 0;
const O_WRONLY = 1;
const O_RDWR = 2;
const O_CREAT = 0o100;
const O_EXCL = 0o200;
const O_TRUNC = 0o1000;
const O_APPEND = 0o2000;

const FLAGS: Partial<Record<Redirection["operator"], number>> = {
  "<": O_RDONLY,
  "<>": O_RDWR | O_CREAT,
  ">": O_WRONLY | O_CREAT | O_TRUNC,
  ">|": O_WRONLY | O_CREAT | O_TRUNC,
  ">>": O_WRONLY | O_CREAT | O_APPEND,
  "&>": O_WRONLY | O_CREAT | O_TRUNC,
  "&>>": O_WRONLY | O_CREAT | O_APPEND,
};

/** The object that a word is, if it is one. */
function objectOf(word: Word): object | undefined {
  const part = word.parts.length === 1 ? word.parts[0] : undefined;
  if (part?.kind === "object") return part.value;
  if (word.parts.some((inner) => inner.kind === "object")) throw new Error("Redirection with no file");
  return undefined;
}

/** Input out of an object of the program. */
function inputOf(value: object): Descriptor {
  const bytes = viewOf(value);
  if (bytes !== undefined) return new InputSource(bytes);
  if (value instanceof ReadableStream) return new InputSource(value as unknown as BytesStream);
  const { isBlob } = require("web/blob");
  if (isBlob(value)) {
    const target = require("bun/file").targetOfFile(value);
    if (typeof target === "number") return new FileDescriptor(target, false);
    return new InputSource((value as Blob).stream() as BytesStream);
  }
  const body = value as Response;
  if (body.bodyUsed) throw new TypeError("The body that is redirected has already been used");
  return new InputSource((body.body as unknown as BytesStream | null) ?? new Uint8Array(0));
}

/** Output into an object of the program. */
function outputOf(value: object): Descriptor {
  const bytes = viewOf(value);
  if (bytes !== undefined) return new MemoryTarget(bytes);
  if (value instanceof WritableStream) return new StreamTarget(value as unknown as { getWriter(): Writer });
  const target = require("web/blob").isBlob(value) ? require("bun/file").targetOfFile(value) : undefined;
  if (typeof target === "number") return new FileDescriptor(target, false);
  if (value instanceof ReadableStream)
    throw new Error("Cannot redirect stdout/stderr to a ReadableStream. Expected a WritableStream");
  throw new Error("Cannot redirect stdout/stderr to an immutable blob. Expected a file");
}

async function fileOf(shell: Interpreter, redirection: Redirection, name: string): Promise<Descriptor> {
  const { operator, target } = redirection;
  const { state } = shell;
  const words: string[] = [];
  if (state.posix) {
    // POSIX: the name is neither split nor a pattern.
    words.push(await shell.expand(expandText(state, target)));
  } else if (target.plain === undefined) {
    const waiting = shell.expand(expandWord(state, target, words));
    if (waiting !== undefined) await waiting;
  } else {
    words.push(target.plain);
  }
  if (words.length !== 1 || words[0] === "") {
    if (words.length !== 1) throw new ShellFailure(`ambiguous redirect: at \`${name}\``);
  }
  const path = words[0]!;
  let flags = FLAGS[operator]!;
  if (operator === ">" && state.options.has("noclobber") && !path.startsWith("/dev/"))
    flags = (flags & ~O_TRUNC) | O_EXCL;
  if (path === "") throw new ShellFailure("No such file or directory: ");
  const absolute = path.startsWith("/") ? path : `${state.cwd}/${path}`;
  // The standard streams of the command, which need not be those of this process.
  const own = /^\/dev\/(?:std(in|out|err)|fd\/(\d+))$/.exec(path);
  if (own !== null) {
    const fd = own[2] === undefined ? ["in", "out", "err"].indexOf(own[1]!) : Number(own[2]);
    const descriptor = shell.descriptors.get(fd);
    if (descriptor !== undefined) return descriptor.hold();
  }
  try {
    return await openFile(absolute, flags);
  } catch (error) {
    const { code } = error as NodeError;
    if (code === "EEXIST") throw new ShellFailure(`cannot overwrite existing file: ${path}`);
    throw new ShellFailure(`${messageOf(code)}: ${path}`);
  }
}

/** Opens what a redirection names and puts it into the descriptors. What was opened is added to `opened`. */
export async function openRedirection(
  shell: Interpreter,
  redirection: Redirection,
  name: string,
  opened: Descriptor[],
): Promise<void> {
  const { operator, fd, target } = redirection;
  const { descriptors, state } = shell;
  const set = (number: number, descriptor: Descriptor) => {
    opened.push(descriptor);
    descriptors.set(number, descriptor);
  };
  if (operator === "<&" || operator === ">&") {
    const text = await shell.expand(expandText(state, target));
    if (text === "-") {
      descriptors.delete(fd);
      return;
    }
    if (/^\d+$/.test(text)) {
      const source = descriptors.get(Number(text));
      if (source === undefined) throw new ShellFailure(`Bad file descriptor: ${text}`);
      set(fd, source.hold());
      return;
    }
    if (operator === "<&") throw new ShellFailure(`ambiguous redirect: at \`${name}\``);
    // `>& file` is `&> file`.
    const file = await fileOf(shell, { ...redirection, operator: "&>" }, name);
    set(1, file);
    set(2, file.hold());
    return;
  }
  if (operator === "<<" || operator === "<<<") {
    const text = await shell.expand(expandText(state, target));
    set(fd, new InputSource(encode(operator === "<<<" ? `${text}\n` : text)));
    return;
  }
  const object = objectOf(target);
  const descriptor =
    object === undefined
      ? await fileOf(shell, redirection, name)
      : operator.startsWith("<")
        ? inputOf(object)
        : outputOf(object);
  if (operator.startsWith("&")) {
    set(1, descriptor);
    set(2, descriptor.hold());
  } else {
    set(fd, descriptor);
  }
}
