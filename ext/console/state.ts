// What the console has to know of other modules without loading them: each puts itself here when it is loaded or made.

export default {
  /** process.stdout and process.stderr, once these streams exist (set by internal/process/stdio). */
  stdout: undefined,
  stderr: undefined,
  /** The defaults of `util.inspect` (set by internal/util/inspect). */
  inspectDefaults: undefined as any,
  /** The exports of node:diagnostics_channel (set by that module). */
  diagnostics: undefined as any,
};
