// What the parts of `bao test` share. Loaded also by programs that import `bun:test` without running tests: nothing is made here.

import type { ConsoleReporter } from "internal/test/bun_test/report_console";
import type { FileRun } from "internal/test/bun_test/run";
import type { Scope } from "internal/test/bun_test/tree";
import type { RunConfig } from "internal/test/bun_test/types";

/** What a run is; `config`, `hooks` and `reporter` are set before anything of it runs. */
export const runner: {
  /** Whether this is `bao test`. */
  active: boolean;
  /** Whether a module of --preload is being loaded: its hooks are for all files. */
  inPreload: boolean;
  config: RunConfig;
  /** The file that runs. */
  file: FileRun | undefined;
  /** Hooks of preloaded modules. */
  hooks: Scope;
  /** Milliseconds; 0: none. */
  defaultTimeout: number;
  /** `-t` */
  filter: RegExp | undefined;
  isCI: boolean;
  /** Whether a reporter shows lines of tests. */
  wantsLines: boolean;
  reporter: ConsoleReporter;
  /** Whether a file is being run by the loop over all of them. */
  isRunning: boolean;
  /** Set by module_mock.ts: a promise of the mocks that are on their way, if there are any. */
  pendingMocks: (() => Promise<unknown> | undefined) | undefined;
  /** Set by module_mock.ts: lets go of modules that are not used any more; `all`: of those of a preload, too. */
  forgetExports: ((all?: boolean) => void) | undefined;
} = {
  active: false,
  inPreload: false,
  config: {} as RunConfig,
  file: undefined,
  hooks: undefined!,
  defaultTimeout: 5000,
  filter: undefined,
  isCI: false,
  wantsLines: false,
  reporter: undefined!,
  isRunning: false,
  pendingMocks: undefined,
  forgetExports: undefined,
};

/** `Error`, whatever test files do to the global of this name. */
export const BaseError = Error;
