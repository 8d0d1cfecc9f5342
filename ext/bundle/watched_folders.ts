// What is watched for files whose folders may be replaced as a whole, as a change of branches does, and which may change while they
// are read.
import fs from "node:fs";
import path from "node:path";

const { statSync } = fs;
const { dirname } = path;

/** How far the times of files lag behind the clock, in milliseconds: the system keeps them by its ticks. */
const TICK = 10;

/**
 * The folders of files, and those above them up to the first that `top` lies in: the name of a folder there tells that it was
 * replaced, which its own watcher does not.
 */
export function foldersOf(files: Iterable<string>, top: string): Set<string> {
  const folders = new Set<string>();
  for (const file of files) {
    let folder = dirname(file);
    while (!folders.has(folder)) {
      folders.add(folder);
      if (isBelow(top, folder)) break;
      folder = dirname(folder);
    }
  }
  return folders;
}

/** Whether a path is `folder` or lies in it. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || folder === "/" || path.startsWith(`${folder}/`);
}

/** Whether a file may have changed since a moment, in milliseconds since 1970; false if it is not there. */
export function hasChangedSince(file: string, moment: number): boolean {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats !== undefined && stats.ctimeMs >= moment - TICK;
  } catch {
    return false;
  }
}
