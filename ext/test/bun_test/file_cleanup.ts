// What a test file changed outside of itself and has to be undone: spies, modules, time, globals, environment.
//
// What was done before the first file (a preload) stays until it is restored by name.

type Kind = "spy" | "module" | "time" | "global" | "env";

interface Entry {
  kind: Kind;
  undo: () => void;
}

let list: Entry[] = [];
/** Called at the end of every file. */
export const atFileEnd: (() => void)[] = [];
/** Whether what is undone is undone because its file is over. */
export const leaving = { file: false };
/** How many entries are of a preload; undefined outside of files. */
let before: number | undefined;

/** Has `undo` called when the file is over or what is of this kind is restored. Gives a function that forgets it. */
export function onRestore(kind: Kind, undo: () => void): () => void {
  const entry = { kind, undo };
  list.push(entry);
  return () => {
    const at = list.indexOf(entry);
    if (at < 0) return;
    list.splice(at, 1);
    if (before !== undefined && at < before) before--;
  };
}

function run(chosen: Entry[]): void {
  for (let i = chosen.length - 1; i >= 0; i--) chosen[i]!.undo();
}

/** Undoes what is of these kinds, the last first. */
export function restore(...kinds: Kind[]): void {
  const chosen = list.filter((entry) => kinds.includes(entry.kind));
  if (chosen.length === 0) return;
  if (before !== undefined) before -= list.slice(0, before).filter((entry) => kinds.includes(entry.kind)).length;
  list = list.filter((entry) => !kinds.includes(entry.kind));
  run(chosen);
}

/** Whether a test file is loaded or run, and not a preload. */
export const inFile = (): boolean => before !== undefined;

export function enterFile(): void {
  leaveFile();
  before = list.length;
}

export function leaveFile(): void {
  if (before === undefined) return;
  const chosen = list.slice(before);
  list.length = before;
  before = undefined;
  leaving.file = true;
  try {
    run(chosen);
  } finally {
    leaving.file = false;
    for (const call of atFileEnd) call();
  }
}

/** Called between files that share nothing, besides the rest. */
export const atRenewal = new Set<() => void>();

/** Undoes everything, also what a preload did: it will run again. */
export function leaveAll(): void {
  run(list.splice(0));
  for (const call of atRenewal) call();
}
