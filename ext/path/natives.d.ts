// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  path: {
    /**
     * Whether all of a path matches a pattern. `windows`: "\" separates the names of the path, too. Patterns are compiled once
     * while they are in use.
     */
    matchesGlob(path: string, pattern: string, windows: boolean): boolean;
    /** The alternatives (by braces) of a pattern, each a list of its parts. */
    compileGlob(pattern: string, windows: boolean): (([number, string, Native.Name | undefined])[])[];
    /** Whether a name matches a part of a pattern. */
    matchName(pattern: Native.Name, name: string): boolean;
  };
}
