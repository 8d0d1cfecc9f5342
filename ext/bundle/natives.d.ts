// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  bundle: {
    build(options: string, hasPlugins: boolean, ask: unknown, done: unknown): number;
    answer(question: number, value: string | null | undefined, bytes: Uint8Array | null | undefined, error: string | null | undefined): void;
  };
}
