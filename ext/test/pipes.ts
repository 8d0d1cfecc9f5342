// The pipes between the processes of a run. Those of a test may be set to non-blocking by whoever shares them, so that a full one, and
// an empty one, is waited for here.

// Taken at once: a test may replace the functions of node:fs.
const { writeSync } = require("node:fs");

/** Sleeps for a millisecond. */
export function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
}

/** Writes all of it before it returns: nothing may be lost when the process ends itself. Throws what `fs.writeSync` throws. */
export function writeAll(fd: number, data: string | Uint8Array): void {
  let rest: Uint8Array = typeof data === "string" ? Buffer.from(data) : data;
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      if ((error as NodeError).code !== "EAGAIN") throw error;
      pause();
    }
  }
}
