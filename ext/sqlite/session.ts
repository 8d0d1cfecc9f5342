/** Session of node:sqlite: changes of a database, recorded (https://sqlite.org/sessionintro.html). */

const ops = native("sqlite");
const kCreate = Symbol("kCreateSession");

class Session {
  #raw: Native.Session;
  #database: { readonly isOpen: boolean };

  constructor(key: unknown = undefined, raw: unknown = undefined, database: unknown = undefined) {
    if (key !== kCreate) {
      const error: NodeError = new Error("Illegal constructor");
      error.code = "ERR_ILLEGAL_CONSTRUCTOR";
      throw error;
    }
    this.#raw = raw as Native.Session;
    this.#database = database as { readonly isOpen: boolean };
  }

  /** The changes with all values of the rows as they were, so that conflicts can be told and changes undone. */
  changeset(): Uint8Array {
    return ops.sessionChanges(this.#raw, false);
  }

  /** The changes with what is needed to make them. */
  patchset(): Uint8Array {
    return ops.sessionChanges(this.#raw, true);
  }

  close(): void {
    ops.closeSession(this.#raw);
  }

  [Symbol.dispose](): void {
    if (!this.#database.isOpen) return;
    try {
      ops.closeSession(this.#raw);
    } catch {
      // It is closed already.
    }
  }
}

/** Begins a session of an open database. */
function createSession(
  handle: Native.Connection,
  database: object,
  table: string | undefined,
  schema: string,
): Session {
  return new Session(kCreate, ops.createSession(handle, table, schema), database);
}

export { createSession, Session };
