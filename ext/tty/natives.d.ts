// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  tty: {
    /** Whether `fd` is a terminal. */
    isTty(fd: number): boolean;
    /**
     * Size of the terminal `fd` as (columns, rows); both 0 where the terminal does not know. Errors as ioctl does
     * (ENOTTY, EBADF).
     */
    getWindowSize(fd: number): [number, number];
    /**
     * Switches raw mode of the terminal `fd` on or off. Off brings back the mode from before it was switched on first, and
     * so does `restore` at the end of the process. Errors as tcgetattr and tcsetattr do (ENOTTY, EBADF, EIO).
     */
    setRawMode(fd: number, raw: boolean): void;
  };
}
