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
    /**
     * Lets a plugin wait for all other modules of its build, but those that wait too: `ask(question, "deferred")` is called then.
     * `question` is that of a module's text which has no answer yet; after its answer nothing happens.
     */
    defer(question: number): void;
    devResolver(options: string): number;
    devResolve(number: number, importer: string, specifier: string, isRequire: boolean): string | null;
    devForget(number: number): void;
    devModule(path: string, shown: string, source: string, loader: string, define: string, refresh: boolean, callback: Native.Callback<string>): void;
    devSheet(options: string, path: string, texts: string, callback: Native.Callback<string>): void;
    devClient(): string;
    reactRefresh(): string;
    pageReferences(html: string): string;
    pageWith(html: string, urls: string, head: string): string;
    executableNew(execArgv: readonly string[], dotenv: boolean, bunfig: boolean, tsconfig: boolean, packageJson: boolean): number;
    executableModule(number: number, name: string, text: string, esm: boolean, map?: string | null | undefined): void;
    executableFile(number: number, name: string, content: Native.Bytes): void;
    executableDrop(number: number): void;
    executableWrite(number: number, template: string, path: string, callback: Native.Callback<number>): void;
  };
}
