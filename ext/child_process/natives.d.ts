// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  child: {
    /**
     * Starts a process.
     *
     * - `file`: name or path; `args`: all arguments joined by NUL, argv[0] included; `env`: `name=value` joined by NUL,
     *   empty for none, undefined for the environment of this process; `cwd`: working directory.
     * - `stdio`: two numbers per descriptor of the child, see `stdio::Stdio`.
     * - `flags`: 1 makes the process the leader of a new session; 2 does so, and makes descriptor 0 its terminal.
     * - `cgroup`: a descriptor of the file cgroup.procs of the control group that the process joins, or -1.
     * - `ended(code, signal, usage)` is called once when the process has ended; not if it was not started. `code` is -1
     *   where somebody else has waited for it. `usage`: user and system time (µs), largest resident set (bytes), shared
     *   memory, swaps, blocks in and out, messages sent and received, signals, voluntary and involuntary context switches.
     *
     * Returns `[error, process, pid, pipes]`: 0 or a negative errno; the number of the process; a pipe number for each
     * piped entry, -1 for others (pipes exist also where the program could not be executed).
     */
    spawn(file: string, args: string | Native.Bytes, env: string | Native.Bytes | null | undefined, cwd: string | null | undefined, stdio: readonly number[], flags: number, uid: number | null | undefined, gid: number | null | undefined, cgroup: number, ended?: unknown): [number, number, number, number[]];
    /**
     * Runs a process to its end; parameters as those of `spawn`, and:
     *
     * - `inputs`: per descriptor the bytes to write to it, or undefined.
     * - `timeout`: milliseconds, 0 for none; `maxOutput`: bytes of all pipes together, 0 for any number; when one of them is
     *   exceeded, the process gets `killSignal`.
     *
     * Returns `[error, pid, exit, output]`: 0 or a negative errno (ETIMEDOUT, ENOBUFS, EPIPE, or why it could not be
     * started, then pid is 0); `[code, signal, usage]` or undefined; per descriptor a Uint8Array or undefined.
     */
    spawnSync(file: string, args: string | Native.Bytes, env: string | Native.Bytes | null | undefined, cwd: string | null | undefined, stdio: readonly number[], flags: number, uid: number | null | undefined, gid: number | null | undefined, cgroup: number, inputs: readonly (Native.Bytes | null | undefined)[] | null | undefined, timeout: number, maxOutput: number, killSignal: number): [number, number, [number, number, Float64Array<ArrayBuffer>] | undefined, (Uint8Array<ArrayBuffer> | undefined)[]];
    /** Forgets a process that has ended. */
    release(process: number): void;
    /** Sends a signal: 0, or a negative errno (ESRCH where the process has ended). */
    kill(process: number, signal: number): number;
    /** Whether a process that runs keeps the loop alive; it does at first. */
    setRef(process: number, on: boolean): void;
    /**
     * Takes over a descriptor that this process was started with: it becomes non-blocking, is closed on exec and belongs
     * to the pipe whose number is returned. `channel`: descriptors may come with its bytes. EBADF where it is not open.
     */
    pipeOpen(fd: number, channel: boolean): number;
    /** The descriptor of a pipe, -1 where it is closed. */
    pipeFd(pipe: number): number;
    /**
     * Calls `callback(errno, bytes, descriptors)` for each piece that arrives, in a turn of its own: undefined for bytes
     * at the end, a negative errno where reading failed (nothing comes after either); an array of the descriptors that
     * came along, or undefined. Returns 0 or a negative errno.
     */
    pipeRead(pipe: number, callback?: unknown): number;
    /**
     * Reads to the end and calls `callback(errno, bytes)` once. Without a callback, reads ahead into memory for a
     * `pipeRead` or `pipeReadAll` to come; that does not keep the loop alive. Returns 0 or a negative errno.
     */
    pipeReadAll(pipe: number, callback?: unknown): number;
    /**
     * Takes all that `pipeReadAll` has read ahead, where the end has come and nobody has asked for it: the pipe is gone
     * then. Undefined otherwise.
     */
    pipeTake(pipe: number): Uint8Array<ArrayBuffer> | undefined;
    /** Calls `exceeded()` once when more than `bytes` have been read from a pipe in all. */
    pipeLimit(pipe: number, bytes: number, exceeded?: unknown): number;
    /** Takes the descriptor of a pipe out: it belongs to the program from now on. -1 where the pipe is closed. */
    pipeDetach(pipe: number): number;
    /** No more reads until `pipeResume`; nothing is lost. */
    pipeStop(pipe: number): void;
    /** Goes on with the callback given before. Returns 0 or a negative errno. */
    pipeResume(pipe: number): number;
    /**
     * Writes `data`, along with a copy of the descriptor `passed` where that is 0 or more. Returns 0 where all is written,
     * 1 where `done(errno)` will be called when it is (errno 0 or negative; ECANCELED where the pipe is closed before), or
     * a negative errno.
     */
    pipeWrite(pipe: number, data: unknown, passed: number, done?: unknown): number;
    /**
     * Writes one of many messages, a string (as UTF-8) or bytes. Returns as `pipeWrite` does; where it has to wait, it is
     * copied and `done(errno, messages)` tells of several at once, in order: all calls for a pipe have to give the same
     * function.
     */
    pipeSend(pipe: number, data?: unknown, done?: unknown): number;
    /** Whether reading from a pipe keeps the loop alive; it does at first. */
    pipeSetRef(pipe: number, on: boolean): void;
    /** Ends the writing side of a duplex pipe: 0 or a negative errno. */
    pipeShutdown(pipe: number): number;
    /** Closes a pipe; writes under way end with ECANCELED. */
    pipeClose(pipe: number): void;
    /**
     * Makes a pipe whose ends wait and are closed on exec: `[error, reader, writer]`, 0 or a negative errno, and descriptors
     * that belong to the caller.
     */
    pipePair(): [number, number, number];
    /** Closes a descriptor that came through a channel and that nobody wants. */
    closeDescriptor(fd: number): void;
    /**
     * Makes a pseudo-terminal of that size: `[error, pipe, slave]`, 0 or a negative errno, the number of a pipe for the
     * master side, and the descriptor of the slave side, which belongs to the caller.
     */
    terminalOpen(columns: number, rows: number): [number, number, number];
    /** Changes the size of a pseudo-terminal: 0 or a negative errno. */
    terminalResize(pipe: number, columns: number, rows: number): number;
    /** The flags of a terminal's modes, `[input, output, local, control]` as termios(3) has them; empty where it is closed. */
    terminalFlags(pipe: number): number[];
    /** Sets them, in the same order: 0 or a negative errno. */
    terminalSetFlags(pipe: number, input: number, output: number, local: number, control: number): number;
  };
}
