// What built-ins share: output, options, errors of the file system.

import { nativePath } from "internal/shell/bytes";
import { messageOf } from "internal/shell/errors";

import type { Interpreter } from "internal/shell/interpreter";

/** Writes to standard output. Throws a DescriptorError. */
export function print(shell: Interpreter, data: string | Uint8Array): void | Promise<void> {
  return shell.descriptors.get(1)?.write(data);
}

/** Writes to standard error. */
export function complain(shell: Interpreter, text: string): Promise<void> {
  return shell.complain(text);
}

/** The whole of a built-in that prints one text. */
export function printed(shell: Interpreter, text: string): number | Promise<number> {
  const waiting = print(shell, text);
  return waiting === undefined ? 0 : waiting.then(() => 0);
}

/** The whole of a built-in that fails with one message. */
export async function refused(shell: Interpreter, text: string, status = 1): Promise<number> {
  await complain(shell, text);
  return status;
}

/** A path against the working directory of the shell. */
export function absolute(shell: Interpreter, path: string): string {
  return path.startsWith("/") ? path : `${shell.state.cwd}/${path}`;
}

/** The same as native functions take it. */
export function systemPath(shell: Interpreter, path: string): string {
  return nativePath(absolute(shell, path));
}

/** A path without `.`, `..` and doubled slashes, as it is written. */
export function normal(shell: Interpreter, path: string): string {
  return require("node:path")
    .normalize(absolute(shell, path))
    .replace(/(.)\/$/, "$1");
}

/** What the system says of an error. */
export function reason(error: unknown): string {
  return messageOf((error as NodeError).code);
}

/** The single letters of options in front of operands; the first that is not in `known` is `unknown`. */
export function lettersOf(
  words: readonly string[],
  known: string,
): { letters: Set<string>; operands: string[]; unknown: string | undefined } {
  const letters = new Set<string>();
  let unknown: string | undefined;
  let i = 1;
  for (; i < words.length; i++) {
    const word = words[i]!;
    if (word === "--") {
      i++;
      break;
    }
    if (word[0] !== "-" || word === "-") break;
    for (const letter of word.slice(1)) {
      if (!known.includes(letter)) unknown ??= letter;
      letters.add(letter);
    }
  }
  return { letters, operands: words.slice(i), unknown };
}
