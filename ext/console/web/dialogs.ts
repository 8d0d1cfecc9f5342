/**
 * `alert`, `confirm` and `prompt` on the terminal (https://html.spec.whatwg.org/#simple-dialogs), as in Bun: the question goes to
 * standard output and the answer is a line of standard input, for which the thread waits. If there is nothing more to read the
 * answer is that of a dialog that was dismissed.
 */

const ENTER = 10;
const RETURN = 13;

/** A line of standard input without its end; null at the end of the input. Bytes after the line stay for the next reader. */
function readLine(): string | null {
  const { readSync } = require("node:fs");
  const byte = new Uint8Array(1);
  const bytes: number[] = [];
  for (;;) {
    let count: number;
    try {
      count = readSync(0, byte, 0, 1, null);
    } catch (error) {
      if ((error as NodeError).code !== "EAGAIN") throw error;
      // A descriptor that somebody has made non-blocking: what is typed comes later.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
      continue;
    }
    if (count === 0) {
      if (bytes.length === 0) return null;
      break;
    }
    if (byte[0] === ENTER) break;
    bytes.push(byte[0]!);
  }
  if (bytes.at(-1) === RETURN) bytes.pop();
  return require("node:buffer").Buffer.from(bytes).toString();
}

function ask(question: string): void {
  require("node:fs").writeSync(1, question);
}

/** Shows a message and waits for the Enter key. */
export function alert(message: unknown = undefined): void {
  ask(message === undefined ? "Alert [Enter] " : `${message} [Enter] `);
  readLine();
}

/** Whether the answer begins with y or Y. */
export function confirm(message: unknown = undefined): boolean {
  ask(message === undefined ? "Confirm [y/N] " : `${message} [y/N] `);
  const answer = readLine();
  return answer !== null && /^y$/i.test(answer);
}

/** The line that is typed, `defaultValue` or else null if it is empty; null if the input has ended. */
export function prompt(message: unknown = undefined, defaultValue: unknown = undefined): string | null {
  const preset = defaultValue === undefined || defaultValue === null ? null : `${defaultValue}`;
  ask(`${message === undefined ? "Prompt" : message} ${preset === null ? "" : `[${preset}] `}`);
  const answer = readLine();
  return answer === "" ? preset : answer;
}
