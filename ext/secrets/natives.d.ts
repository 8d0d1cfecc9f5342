// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  secrets: {
    /** The value of a secret; undefined if there is none. */
    get(service: string, name: string, callback: Native.Callback<string | undefined>): void;
    get(service: string, name: string): Promise<string | undefined>;
    /** Keeps a secret, in place of one with the same names. */
    set(service: string, name: string, value: string, callback: Native.Callback<void>): void;
    set(service: string, name: string, value: string): Promise<void>;
    /** Removes a secret; whether there was one. */
    delete(service: string, name: string, callback: Native.Callback<boolean>): void;
    delete(service: string, name: string): Promise<boolean>;
  };
}
