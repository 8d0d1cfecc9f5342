// What comes before the program: hooks of --experimental-loader and modules of --import.
// https://nodejs.org/api/cli.html#--importmodule

import { register } from "internal/module/node_hooks";
import { own } from "internal/worker/thread_info";

function here(): string {
  return require("node:url").pathToFileURL(`${native("process").cwd()}/`).href;
}

/** Registers hooks, imports modules one after the other, and is settled when all of them have been evaluated. */
export async function importAll(loaders: string[], imports: string[]): Promise<void> {
  // The thread of the hooks has none itself.
  if (own.serves !== undefined) loaders = [];
  if (loaders.length > 0) {
    const shown = loaders.map((name) => `register(${JSON.stringify(name)}, pathToFileURL("./"));`).join(" ");
    require("node:process").emitWarning(
      "`--experimental-loader` may be removed in the future; instead use `register()`:\n" +
        `--import 'data:text/javascript,import { register } from "node:module"; import { pathToFileURL } from "node:url"; ${shown}'`,
      "ExperimentalWarning",
    );
  }
  for (const name of loaders) register(name, here());
  for (const name of imports) await import(name);
}

/** The program of `--entry-url`: a path where the URL is that of a file, else the URL. */
export function entryPath(entry: string): string {
  const url = new URL(entry, here());
  return url.protocol === "file:" ? require("node:url").fileURLToPath(url) : url.href;
}
