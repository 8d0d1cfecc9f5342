// What the console has to know of other modules without loading them: each puts itself here when it is loaded or made.

import type { OutputStream } from "internal/console/types";
import type { InspectSettings } from "internal/util/inspect_types";

interface State {
  stdout: OutputStream | undefined;
  stderr: OutputStream | undefined;
  inspectDefaults: InspectSettings | undefined;
  diagnostics: Pick<BuiltinModules["node:diagnostics_channel"], "channel"> | undefined;
  profiles: Profiles | undefined;
}

/** What console.profile() and profileEnd() call: with the title, and the function whose caller is where they were called. */
interface Profiles {
  start(title: string, below: Function): void;
  end(title: string, below: Function): void;
}

export default {
  /** process.stdout and process.stderr, once these streams exist (set by internal/process/stdio). */
  stdout: undefined,
  stderr: undefined,
  /** The defaults of `util.inspect` (set by internal/util/inspect). */
  inspectDefaults: undefined,
  /** The exports of node:diagnostics_channel (set by that module). */
  diagnostics: undefined,
  /** Profiles for clients of the inspector (set by internal/v8/profiler, where there has been one). */
  profiles: undefined,
} as State;
