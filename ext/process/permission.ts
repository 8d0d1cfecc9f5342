// process.permission: https://nodejs.org/api/permissions.html
//
// What is denied is denied by the native half (runtime/core/src/permission.rs has the list); here a program asks.

import { codes } from "internal/core/errors";
import { validateString } from "internal/core/validators";

const ops = native("process");

/** The channel on which a denial is told, and the name of the permission, by scope. */
const SCOPES: Record<string, [channel: string, name: string]> = {
  __proto__: null as never,
  fs: ["fs", "FileSystem"],
  "fs.read": ["fs", "FileSystemRead"],
  "fs.write": ["fs", "FileSystemWrite"],
  child: ["child", "ChildProcess"],
  worker: ["worker", "WorkerThreads"],
  addon: ["addon", "Addon"],
  wasi: ["wasi", "WASI"],
  net: ["net", "Net"],
  inspector: ["inspector", "Inspector"],
};

/** Options that give something with which a program can do all the rest. */
const DANGEROUS = ["--allow-addons", "--allow-child-process", "--allow-inspector", "--allow-wasi", "--allow-worker"];

export const permission = {
  /** Whether `scope` (`fs.read`, `child`, ...) is given; `reference`: a path, else everything of the scope. */
  has(scope: unknown, reference?: unknown): boolean {
    validateString(scope, "scope");
    let path: string | undefined;
    if (reference != null) {
      if (Buffer.isBuffer(reference)) path = reference.toString();
      else if (typeof reference === "string") path = reference;
      else throw new codes.ERR_INVALID_ARG_TYPE("reference", "string", reference);
    }
    const given = ops.permissionHas(scope, path);
    const known = SCOPES[scope];
    if (!given && known !== undefined) publish(known, path ?? "");
    return given;
  },
};

function publish([channel, name]: [string, string], resource: string): void {
  const { channel: find } = require("node:diagnostics_channel");
  const told = find(`node:permission-model:${channel}`);
  if (told.hasSubscribers) told.publish({ permission: name, resource });
}

/** Warns of options that give more than they seem to; called when the program starts. */
export function warn(): void {
  for (const flag of DANGEROUS) {
    if (ops.cliOption(flag) !== true) continue;
    require("node:process").emitWarning(
      `The flag ${flag} must be used with extreme caution. It could invalidate the permission model.`,
      "SecurityWarning",
    );
  }
  if (ops.cliOption("--allow-net") === true)
    require("node:process").emitWarning("The flag --allow-net is under experimental phase.", "ExperimentalWarning");
}
