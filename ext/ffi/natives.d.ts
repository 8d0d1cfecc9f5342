// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  ffi: {
    /**
     * Loads the library of a file or a name that the system's loader searches for; no library without a name.
     *
     * # Errors
     * ERR_DLOPEN_FAILED with the name and the loader's message.
     */
    open(path?: string | null | undefined): Native.Library;
    /** The address of a symbol of a library, 0 where it has none. */
    symbol(library: Native.Library, name: string): number;
    /**
     * Makes functions of C functions: for each a name, an address, and in `shapes` the number of its result's type, how many arguments it has, and
     * the numbers of their types.
     *
     * # Errors
     * An error of the system where it gives no memory for code.
     */
    link(library: Native.Library, names: readonly string[], addresses: readonly number[], shapes: Native.Bytes): ((...args: unknown[]) => unknown)[];
    /**
     * Closes a library: its functions throw from then on. The system keeps it loaded while something else has it open, or while the program is in
     * one of its calls.
     */
    close(library: Native.Library): void;
    /**
     * Makes a callback: what closes it, and its address. `args` and `result` are numbers of types.
     *
     * # Errors
     * An error of the system where it gives no memory for code.
     */
    callback(function_: unknown, args: Native.Bytes, result: number, threadsafe: boolean): [Native.Handle, number];
    /** Closes a callback. Calls of other threads that wait are still made. */
    closeCallback(callback: Native.Handle): void;
    /**
     * The address of a buffer's or a view's bytes. It holds until the buffer is collected, detached or resized: small buffers, which the engine keeps
     * in their objects and moves, are moved out of them for good.
     *
     * # Errors
     * A TypeError for other values, for empty ones, and for an offset outside.
     */
    ptr(view?: unknown, offset?: unknown): number | bigint;
    /**
     * Text in memory as a string: up to its zero, or of that many bytes. Empty for null.
     *
     * # Errors
     * A TypeError for what is no address.
     */
    text(address?: unknown, offset?: unknown, length?: unknown): string;
    /**
     * An `ArrayBuffer` on C's memory, without a copy: up to the first zero, or of that many bytes. A deallocator is the address of a C function that
     * is called with the memory and `context` when the buffer is gone; alone, it may stand in the place of the context.
     *
     * # Errors
     * A TypeError for what is no address.
     */
    arrayBuffer(address?: unknown, offset?: unknown, length?: unknown, context?: unknown, deallocator?: unknown): ArrayBuffer;
    /**
     * The functions of `read` in the order of Bun's object: called with an address and an offset in bytes, they give what is there.
     *
     * # Errors
     * An error of the system where it gives no memory for code.
     */
    readers(): ((address: unknown, offset?: unknown) => unknown)[];
  };
}
