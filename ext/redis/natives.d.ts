// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  redis: {
    /** A connection without bytes. */
    link(): Native.Link;
    /** The server speaks RESP2: `read` stops at every reply, and lists can be messages. */
    setOld(link: Native.Link): void;
    /**
     * Writes a command of a name and its arguments. `expects` says what becomes of its reply: 0 it resolves the promise, 1 the same with 0
     * and 1 as booleans, 2 `read` gives it, 3 `read` gives it with a string as bytes. Returns `waiting` if that is a promise, else a new one.
     */
    command(link: Native.Link, name: string, args: string | readonly (string | Uint8Array)[], expects: number, waiting?: Promise<unknown> | undefined): Promise<unknown>;
    /**
     * Writes a command for whose reply nobody has a promise. `expects`: 2 `read` gives it, 4 the command subscribes or ends subscriptions, and
     * `read` gives a message for each channel, or an error.
     */
    ask(link: Native.Link, name: string, args: string | readonly (string | Uint8Array)[], expects: number): void;
    /** What has been written since the last call. */
    take(link: Native.Link): Uint8Array<ArrayBuffer>;
    /** Bytes that have been written and not taken. */
    unsent(link: Native.Link): number;
    /**
     * Reads replies out of a chunk from `at` on and settles the promises of `sent` with them, from the one at `from` on. Stops at what is
     * JavaScript's: `[at, taken, why, first, second]`, where `taken` is the number of commands that were answered, this one included, and
     * `why` is 0 if more bytes are needed, 1 with a reply, 2 with the list that the server pushes, 3 with code and message of a fault, after
     * which the connection is of no use. To be called again with the same chunk unless it is 0 or 3. `errorOf` makes an error of the
     * server's text.
     */
    read(link: Native.Link, chunk: ArrayBuffer, at: number, sent: readonly unknown[], from: number, errorOf: (message: string) => Error): [at: number, taken: number, why: number, first: unknown, second: unknown];
  };
}
