// `bao exec SCRIPT` and `bao FILE.sh`: a script of the shell as a program. It has the descriptors of this process, and the process
// ends with its status.

import { Descriptor, FileDescriptor } from "internal/shell/descriptors";
import { Exit } from "internal/shell/errors";
import { Interpreter } from "internal/shell/interpreter";
import { Source } from "internal/shell/source";
import { State } from "internal/shell/state";
import { decode } from "internal/shell/bytes";
import { parse } from "internal/shell/parser";

import type { List } from "internal/shell/ast";
import type { Run } from "internal/shell/interpreter";

function failed(text: string, status: number): void {
  process.stderr.write(text);
  process.exitCode = status;
}

/** The working directory as PWD names it, by its links, if that is where the process is. */
function workingDirectory(): string {
  const cwd = process.cwd();
  const { PWD } = process.env;
  if (PWD === undefined || PWD === cwd || !PWD.startsWith("/") || /(?:^|\/)\.\.?(?:\/|$)/.test(PWD)) return cwd;
  const { statSync } = require("node:fs");
  const named = statSync(PWD, { throwIfNoEntry: false });
  const actual = statSync(cwd, { throwIfNoEntry: false });
  return named !== undefined && named.ino === actual?.ino && named.dev === actual.dev ? PWD : cwd;
}

async function run(body: List, name: string, parameters: string[]): Promise<void> {
  const shared: Run = { programs: new Set(), aborted: undefined, background: new Set(), calls: 0 };
  const descriptors = new Map<number, Descriptor>();
  for (let fd = 0; fd < 3; fd++) descriptors.set(fd, new FileDescriptor(fd, false));
  const state = new State(process.env, workingDirectory(), name, parameters);
  const shell = new Interpreter(shared, state, descriptors);
  shell.ownsProcess = true;
  try {
    process.exitCode = await shell.environment(body);
    while (shared.background.size > 0) await Promise.all(shared.background);
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    process.exitCode = error.code;
  } finally {
    for (const descriptor of descriptors.values()) descriptor.release();
  }
}

/** Runs a script; without a text that of the file. */
export function start(text: string | undefined, name: string): void {
  if (text === undefined) {
    try {
      text = decode(require("node:fs").readFileSync(name));
    } catch (error) {
      const { messageOf } = require("internal/shell/errors");
      failed(`error: Failed to read ${name}: ${messageOf((error as NodeError).code)}\n`, 1);
      return;
    }
    if (text.startsWith("#!")) text = text.replace(/^[^\n]*/, "");
  }
  let body: List;
  try {
    body = parse(new Source(text));
  } catch (error) {
    failed(
      `error: Failed to run ${name.slice(name.lastIndexOf("/") + 1)} due to error ${(error as Error).message}\n`,
      1,
    );
    return;
  }
  const inFile = process.argv[1] === name;
  void run(body, name, process.argv.slice(inFile ? 2 : 1));
}
