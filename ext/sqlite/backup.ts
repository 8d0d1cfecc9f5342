/** backup() of node:sqlite: a database is copied while it is used (https://sqlite.org/backup.html). */

const ops = native("sqlite");

/** How a step ends, see `backupStep` of the native half. */
const DONE = 1,
  LOCKED = 2;

/** After so many milliseconds a locked database is asked again. */
const RETRY_MILLISECONDS = 10;

interface BackupOptions {
  source: string;
  target: string;
  /** Pages that are copied at a time. */
  rate: number;
  progress: ((pages: { totalPages: number; remainingPages: number }) => unknown) | undefined;
}

/** Copies a schema of a database to a file; the number of pages. The program goes on between the steps. */
export async function copyDatabase(
  handle: Native.Connection,
  path: string | Uint8Array,
  flags: number,
  options: BackupOptions,
): Promise<number> {
  const backup = ops.backupStart(handle, path, flags, options.source, options.target);
  try {
    for (;;) {
      const [stands, remainingPages, totalPages] = ops.backupStep(backup, options.rate);
      if (stands === DONE) return totalPages;
      if (remainingPages !== 0) options.progress?.({ totalPages, remainingPages });
      await new Promise<void>((resolve) => {
        if (stands === LOCKED) setTimeout(resolve, RETRY_MILLISECONDS);
        else setImmediate(resolve);
      });
    }
  } finally {
    ops.backupStop(backup);
  }
}
