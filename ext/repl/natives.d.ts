// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  repl: {
    /** The first mistake of a script, or of the body of an async function (`isAsync`); undefined if there is none. */
    check(code: string, isAsync: boolean): [string, number, number, boolean] | undefined;
    /** Code with `await` at the top level as a script, and the first mistake. Neither if there is no such `await`, or a `return`. */
    topLevelAwait(code: string): [string | undefined, [string, number, number, boolean] | undefined];
    /** Input of `bao repl` as JavaScript that may run again and again, or the first mistake. */
    sessionScript(code: string): [string | undefined, [string, number, number, boolean] | undefined];
    /** The import declarations of a text as statements with `import()`; undefined if it has mistakes. */
    dynamicImports(code: string): string | undefined;
    /** The end of a line that can be evaluated for completion; undefined if there is none. */
    completionTarget(line: string): string | undefined;
    /**
     * The steps of a chain of properties: a kind ("variable", "name" or "computed") and a text by turns. Empty if the code is no
     * such chain, undefined if it has mistakes.
     */
    memberChain(code: string): string[] | undefined;
    /** The names that `let`, `const`, `using` and `class` declare at the top level; undefined if the text has mistakes. */
    lexicalNames(code: string): string[] | undefined;
  };
}
