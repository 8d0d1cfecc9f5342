// What a worker closes at its end: descriptors of FileHandles, and, unless it was made with `trackUnmanagedFds: false`, those that it
// opened as plain numbers (https://nodejs.org/api/worker_threads.html#new-workerfilename-options).

const { trackFd, untrackFd } = native("fs");

/** Functions that are told of descriptors while somebody wants to know. */
export const tracking: {
  /** A FileHandle has got a descriptor, or has given it away. */
  handle: ((fd: number, opened: boolean) => void) | undefined;
  /** Code has opened or closed a plain descriptor. */
  plain: ((fd: number, opened: boolean) => void) | undefined;
} = { handle: undefined, plain: undefined };

function warn(text: string): void {
  process.emitWarning(`File descriptor ${text}`);
}

/** From now on this thread closes at its end what it has left open. */
export function trackDescriptors(plain: boolean): void {
  tracking.handle = (fd, opened) => void (opened ? trackFd : untrackFd)(fd);
  if (!plain) return;
  tracking.plain = (fd, opened) => {
    if (opened && !trackFd(fd)) warn(`${fd} opened in unmanaged mode twice`);
    else if (!opened && !untrackFd(fd)) warn(`${fd} closed but not opened in unmanaged mode`);
  };
}
