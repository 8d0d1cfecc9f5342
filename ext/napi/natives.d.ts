// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  napi: {
    /**
     * Loads the addon of a file for this thread: what it has put into `exports`, or returned in its place. `flags`: those of
     * dlopen(3), as in `os.constants.dlopen`.
     */
    loadAddon(exports: object, path: string, flags: number): unknown;
    /**
     * Looks whether an addon, by its file, is a plugin of the bundler that has a function, which could be given `external`.
     *
     * # Errors
     * Those of `PluginFunction::find`.
     */
    checkPlugin(file: string, symbol: string, external?: unknown): void;
    /** Has `napiMakeCallback` enter the domain of the object that it calls a function on; for `node:domain`. */
    useDomains(): void;
  };
}
