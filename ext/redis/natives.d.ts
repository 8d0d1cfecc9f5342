// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  redis: {
    /** A connection without bytes. */
    link(): Native.Link;
    /** The server speaks RESP2: `read` stops at every reply, and lists can be messages. */
    setOld(link: Native.Link): void;
    command(link: Native.Link, name: string, args: string | readonly (string | Uint8Array)[], expects: number, waiting: Promise<unknown> | undefined): Promise<unknown>;
    ask(link: Native.Link, name: string, args: string | readonly (string | Uint8Array)[], expects: number): void;
    take(link: Native.Link): Uint8Array<ArrayBuffer>;
    unsent(link: Native.Link): number;
    read(link: Native.Link, chunk: ArrayBuffer, at: number, sent: readonly unknown[], from: number, errorOf: (message: string) => Error): [at: number, taken: number, why: number, first: unknown, second: unknown];
  };
}
