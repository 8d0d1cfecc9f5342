// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  wasi: {
    /**
     * Waits until one of `fds` is ready for its `events` (those of poll(2)) or `milliseconds` are over, below zero: for ever; in a worker
     * until it is ended. Returns what each is ready for.
     */
    wait(fds: readonly number[], events: readonly number[], milliseconds: number): number[];
    /** Bytes that can be read from a pipe, a socket or a terminal without waiting. */
    readable(fd: number): number;
    /** lseek(2); `whence`: 0 from the start, 1 from where it is, 2 from the end. Returns the new offset. */
    seek(fd: number, offset: number, whence: number): number;
    /** The status flags of an open file, as F_GETFL of fcntl(2) gives them. */
    statusFlags(fd: number): number;
    /** Sets O_APPEND and O_NONBLOCK of an open file and leaves its other flags. */
    setStatusFlags(fd: number, append: boolean, nonblock: boolean): void;
    /** posix_fallocate(3): space for a range of a file. */
    allocate(fd: number, offset: number, length: number): void;
    /** posix_fadvise(2); WASI's advice has the numbers of Linux. */
    advise(fd: number, offset: number, length: number, advice: number): void;
    /** The time of a clock of clock_gettime(2) as (seconds, nanoseconds). */
    clockTime(clock: number): [number, number];
    /** The resolution of a clock as (seconds, nanoseconds). */
    clockResolution(clock: number): [number, number];
  };
}
