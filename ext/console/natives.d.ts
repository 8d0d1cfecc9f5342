// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  console: {
    /** Writes text to a descriptor, waiting as long as it takes. */
    write(fd: number, text: string): void;
    /** Whether a descriptor is a terminal. */
    isTty(fd: number): boolean;
  };
}
