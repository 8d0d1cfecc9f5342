// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  bundle: {
    /**
     * Begins a build. `options` is JSON, see `bundle::BuildOptions`.
     *
     * `ask(question, "resolve", specifier, importer, namespace, kind)` and `ask(question, "load", path, namespace, loader)` are
     * called for plugins whose filters match, `ask(question, "macros", path, text, loader)` for macros; `answer` takes what they say. `done(artifacts, messages, metafile, inputs)` is called
     * once: each artifact is `[path, kind, loader, hash, bytes, sourcemap, source]`, the messages are JSON, the metafile is JSON
     * or null.
     *
     * # Errors
     * Options that are not of this form, and threads that cannot be made.
     */
    build(options: string, ask?: unknown, done?: unknown): number;
    /**
     * Answers a question of a build: `value` is JSON (of `onResolve` the object, of `onLoad` `{ loader }`) or null if no plugin
     * knew; `bytes` is the text of a module; `error` the text of what a plugin has thrown.
     */
    answer(question: number, value?: string | null | undefined, bytes?: Native.Bytes | null | undefined, error?: string | null | undefined): void;
    /** JavaScript that does the same in fewer characters; `text` must be valid. */
    minify(text: string, whitespace: boolean, syntax: boolean, identifiers: boolean): string;
    executableNew(execArgv: readonly string[], dotenv: boolean, bunfig: boolean, tsconfig: boolean, packageJson: boolean): number;
    executableModule(number: number, name: string, text: string, esm: boolean, map?: string | null | undefined): void;
    executableFile(number: number, name: string, content: Native.Bytes): void;
    executableDrop(number: number): void;
    executableWrite(number: number, template: string, path: string, callback: Native.Callback<number>): void;
  };
}
