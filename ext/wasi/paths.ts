/** Paths of a program, which stay within the folders it was given. */

import fs from "node:fs";
import { Refusal } from "internal/wasi/errno";

/** Links that are followed for one path. */
const MAX_LINKS = 32;

/** The folder that a path starts from. */
export interface Root {
  /** On the host. */
  path: string;
  /** As the program calls it; undefined below a folder that was given. */
  name: string | undefined;
}

function linkTarget(path: string): string | undefined {
  try {
    return fs.readlinkSync(path);
  } catch {
    // No link, or not there: whatever uses the path says so.
    return undefined;
  }
}

/** The part of an absolute link below the folder that the program knows by `name`. */
function below(name: string | undefined, path: string): string {
  if (name === undefined) throw new Refusal("ENOTCAPABLE");
  const prefix = name.replace(/\/+$/, "");
  if (path !== prefix && !path.startsWith(`${prefix}/`)) throw new Refusal("ENOTCAPABLE");
  return path.slice(prefix.length);
}

/**
 * The host's path for a program's. `follow`: also a link in the last place is followed. Throws ENOTCAPABLE for what leads out of the
 * folder, ELOOP for links without end.
 */
export function hostPath(root: Root, path: string, follow: boolean): string {
  if (path === "" || path.includes("\0")) throw new Refusal("EINVAL");
  if (path.startsWith("/")) throw new Refusal("ENOTCAPABLE");
  const isFolder = /\/\.?$/.test(path);
  const done: string[] = [];
  const todo = path.split("/").reverse();
  let links = 0;
  while (todo.length > 0) {
    const part = todo.pop()!;
    if (part === "" || part === ".") continue;
    if (part === "..") {
      if (done.length === 0) throw new Refusal("ENOTCAPABLE");
      done.pop();
      continue;
    }
    const isLast = todo.every((rest) => rest === "" || rest === ".");
    if (!isLast || follow || isFolder) {
      const target = linkTarget([root.path, ...done, part].join("/"));
      if (target !== undefined) {
        if (++links > MAX_LINKS) throw new Refusal("ELOOP");
        const absolute = target.startsWith("/");
        if (absolute) done.length = 0;
        todo.push(...(absolute ? below(root.name, target) : target).split("/").reverse());
        continue;
      }
    }
    done.push(part);
  }
  return [root.path, ...done].join("/") + (isFolder ? "/" : "") || "/";
}
