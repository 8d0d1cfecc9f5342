// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  redis: {
    /** A connection without bytes. */
    link(): Native.Link;
    /**
     * Reads and writes the socket with this number from now on. Replies settle the promises of their commands; `tell` is called with what is
     * JavaScript's, `(why, first, second)`: 1 and a reply; 2 and the list that the server pushes, and whether that was the last message of the
     * first subscription; 3, code and message of a fault, after which the connection is of no use; 4 if `watches`, when bytes have come. It
     * must not throw. `errorOf` makes an error of the server's text. False: there is no such socket.
     */
    attach(link: Native.Link, stream: number, tell: (why: number, first?: unknown, second?: unknown) => void, errorOf: (message: string) => Error, watches: boolean): boolean;
    /** Lets go of the socket, and gives the promises whose replies have not come, in the order of their commands. */
    detach(link: Native.Link): Promise<unknown>[];
    /** Whether the loop waits for the socket also while no reply is expected. */
    hold(link: Native.Link, on: boolean): void;
    /** Commands without a reply. */
    pending(link: Native.Link): number;
    /** The server speaks RESP2: JavaScript gets every reply, and lists can be messages. */
    setOld(link: Native.Link): void;
    /**
     * Writes a command of a name and its arguments. `expects` says what becomes of its reply: 0 it resolves the promise, 1 the same with 0
     * and 1 as booleans, 2 JavaScript gets it, 3 JavaScript gets it with a string as bytes. Returns `waiting` if that is a promise, else a new one.
     */
    command(link: Native.Link, name: string, args: string | readonly (string | Uint8Array)[], expects: number, waiting?: Promise<unknown> | undefined): Promise<unknown>;
    /**
     * Writes a command for whose reply nobody has a promise. `expects`: 2 JavaScript gets it, 4 the command subscribes or ends subscriptions,
     * and JavaScript gets a message for each channel, or an error.
     */
    ask(link: Native.Link, name: string, args: string | readonly (string | Uint8Array)[], expects: number): void;
    /** Writes to the socket what has been made. 0: the kernel has it; 1: the write event will tell; negative: errno. */
    flush(link: Native.Link): number;
    /** Bytes that have been made and not written. */
    unsent(link: Native.Link): number;
  };
}
