// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

/** The native halves of the API families by name. */
interface Natives {}

declare namespace Native {
  /** An ArrayBuffer, a SharedArrayBuffer or a view on one. */
  type Bytes = ArrayBufferView | ArrayBufferLike;

  /** An error of the system or of a native function. */
  interface NativeError extends Error {
    code?: string;
    errno?: number;
    syscall?: string;
    path?: string;
    dest?: string;
  }

  /** The last argument of an asynchronous op; after an error there is no value. */
  type Callback<T> = (error: NativeError | undefined, value: T) => void;

  /** Marks native objects, which JavaScript only passes on. */
  const resource: unique symbol;

  interface ArchiveReader {
    readonly [resource]: "ArchiveReader";
  }

  interface Backup {
    readonly [resource]: "Backup";
  }

  interface Certificate {
    readonly [resource]: "Certificate";
  }

  interface Cipher {
    readonly [resource]: "Cipher";
  }

  interface Columns {
    readonly [resource]: "Columns";
  }

  interface Connection {
    readonly [resource]: "Connection";
  }

  interface Handle {
    readonly [resource]: "Handle";
  }

  interface Key {
    readonly [resource]: "Key";
  }

  interface Library {
    readonly [resource]: "Library";
  }

  interface Link {
    readonly [resource]: "Link";
  }

  interface ModuleRecord {
    readonly [resource]: "ModuleRecord";
  }

  interface MysqlColumns {
    readonly [resource]: "MysqlColumns";
  }

  interface MysqlLink {
    readonly [resource]: "MysqlLink";
  }

  interface Name {
    readonly [resource]: "Name";
  }

  interface Port {
    readonly [resource]: "Port";
  }

  interface PostgresLink {
    readonly [resource]: "PostgresLink";
  }

  interface Rewriter {
    readonly [resource]: "Rewriter";
  }

  interface Session {
    readonly [resource]: "Session";
  }

  interface Statement {
    readonly [resource]: "Statement";
  }

  interface Template {
    readonly [resource]: "Template";
  }

  interface Worker {
    readonly [resource]: "Worker";
  }
}
