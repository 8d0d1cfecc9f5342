// Users and groups of the process (POSIX), https://nodejs.org/api/process.html#processgetuid and following.

import { codes } from "internal/core/errors";
import { validateArray, validateUint32 } from "internal/core/validators";

const ops = native("process");

function checkId(id: unknown, name: string): void {
  if (typeof id === "number") validateUint32(id, name);
  else if (typeof id !== "string") throw new codes.ERR_INVALID_ARG_TYPE(name, ["number", "string"], id);
}

function userId(id: string | number): number {
  if (typeof id === "number") return id >>> 0;
  const found = ops.lookupUser(id);
  if (found === undefined) throw new codes.ERR_UNKNOWN_CREDENTIAL("User", id);
  return found;
}

function groupId(id: string | number): number {
  if (typeof id === "number") return id >>> 0;
  const found = ops.lookupGroup(id);
  if (found === undefined) throw new codes.ERR_UNKNOWN_CREDENTIAL("Group", id);
  return found;
}

function mainThreadOnly(name: string): void {
  if (!ops.isMainThread()) throw new codes.ERR_WORKER_UNSUPPORTED_OPERATION(`process.${name}()`);
}

// The old errors of these calls: "EPERM, Operation not permitted", with a positive errno.
function call(name: string, ...args: unknown[]): void {
  try {
    (ops as unknown as Record<string, (...values: unknown[]) => void>)[name]!(...args);
  } catch (error) {
    const text = /^(\w+): (.)(.*), \w+$/.exec((error as NodeError | undefined)?.message ?? "");
    if (text === null) throw error;
    const old: NodeError = new Error(`${text[1]}, ${text[2]!.toUpperCase()}${text[3]}`);
    old.errno = Math.abs((error as NodeError).errno!);
    old.code = (error as NodeError).code;
    old.syscall = (error as NodeError).syscall;
    throw old;
  }
}

/** The supplementary groups, with the effective group among them. */
export function getgroups(): number[] {
  const groups: number[] = ops.getgroups();
  const effective: number = ops.getegid();
  return groups.includes(effective) ? groups : [...groups, effective];
}

export function setuid(id: string | number): void {
  mainThreadOnly("setuid");
  checkId(id, "id");
  call("setuid", userId(id));
}

export function seteuid(id: string | number): void {
  mainThreadOnly("seteuid");
  checkId(id, "id");
  call("seteuid", userId(id));
}

export function setgid(id: string | number): void {
  mainThreadOnly("setgid");
  checkId(id, "id");
  call("setgid", groupId(id));
}

export function setegid(id: string | number): void {
  mainThreadOnly("setegid");
  checkId(id, "id");
  call("setegid", groupId(id));
}

/** Sets the supplementary groups, given by number or name. */
export function setgroups(groups: readonly (string | number)[]): void {
  mainThreadOnly("setgroups");
  validateArray(groups, "groups");
  for (let i = 0; i < groups.length; i++) checkId(groups[i], `groups[${i}]`);
  call("setgroups", groups.map(groupId));
}

/** Sets the supplementary groups to those of `user` plus `extraGroup`. */
export function initgroups(user: string | number, extraGroup: string | number): void {
  mainThreadOnly("initgroups");
  checkId(user, "user");
  checkId(extraGroup, "extraGroup");
  const gid = groupId(extraGroup);
  const name = typeof user === "number" ? ops.userName(user) : user;
  if (name === undefined || ops.lookupUser(name) === undefined) throw new codes.ERR_UNKNOWN_CREDENTIAL("User", user);
  call("initgroups", name, gid);
}
