// Numbers that the native half uses by the same names. Written from #[ts_constants] by
// engine/macros/src/ts_constants.rs; do not edit.

// The kinds of entries of `stdio` in JavaScript, as `Stdio` has them.
export const STDIO_IGNORE = 0;
export const STDIO_FD = 1;
export const STDIO_INPUT = 2;
export const STDIO_OUTPUT = 3;
export const STDIO_DUPLEX = 4;
export const STDIO_CHANNEL = 5;
