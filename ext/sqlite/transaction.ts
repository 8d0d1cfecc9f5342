/** `db.transaction(callback)` of bun:sqlite (https://bun.com/docs/runtime/sqlite#transactions). */

/** What a transaction needs of a database. */
interface Transactional {
  readonly inTransaction: boolean;
  prepare(query: string): { run(): unknown };
}

type Call<A extends unknown[], R> = (this: unknown, ...parameters: A) => R;

/** A function that runs as a transaction, and the same with each way to begin one. */
export interface TransactionFunction<A extends unknown[], R> {
  (...parameters: A): R;
  default: Call<A, R>;
  deferred: Call<A, R>;
  immediate: Call<A, R>;
  exclusive: Call<A, R>;
  database: unknown;
}

type Prepared = { run(): unknown };

/** The statements of a database, prepared when they are first needed. */
type Statements = (text: string) => Prepared;

const statements = new WeakMap<Transactional, Statements>();

function statementsOf(database: Transactional): Statements {
  let found = statements.get(database);
  if (found === undefined) {
    const prepared = new Map<string, Prepared>();
    found = (text) => {
      let statement = prepared.get(text);
      if (statement === undefined) prepared.set(text, (statement = database.prepare(text)));
      return statement;
    };
    statements.set(database, found);
  }
  return found;
}

/** Nested transactions are savepoints of this name: the innermost one is meant. */
const SAVEPOINT = "`\t_bao.\t`";

/**
 * A function that calls `callback` in a transaction, or in a savepoint if one is open: committed if it returns, rolled back if it throws.
 */
function wrap<A extends unknown[], R>(database: Transactional, begin: string, callback: (...parameters: A) => R) {
  const statement = statementsOf(database);
  // A method, as it is no constructor.
  const { transaction } = {
    transaction(this: unknown, ...parameters: A): R {
      const isNested = database.inTransaction;
      statement(isNested ? `SAVEPOINT ${SAVEPOINT}` : begin).run();
      try {
        const result: R = Reflect.apply(callback, this, parameters);
        statement(isNested ? `RELEASE ${SAVEPOINT}` : "COMMIT").run();
        return result;
      } catch (error) {
        // SQLite itself may have rolled back: on a full disk, for one.
        if (database.inTransaction) {
          statement(isNested ? `ROLLBACK TO ${SAVEPOINT}` : "ROLLBACK").run();
          if (isNested) statement(`RELEASE ${SAVEPOINT}`).run();
        }
        throw error;
      }
    },
  };
  return transaction;
}

/** See `Database.transaction`. */
export function makeTransaction<A extends unknown[], R>(
  database: Transactional,
  callback: (...parameters: A) => R,
): TransactionFunction<A, R> {
  // A closed database says so now.
  statementsOf(database)("COMMIT");
  const properties = {
    default: { value: wrap(database, "BEGIN", callback) },
    deferred: { value: wrap(database, "BEGIN DEFERRED", callback) },
    immediate: { value: wrap(database, "BEGIN IMMEDIATE", callback) },
    exclusive: { value: wrap(database, "BEGIN EXCLUSIVE", callback) },
    database: { value: database, enumerable: true },
  };
  for (const kind of ["default", "deferred", "immediate", "exclusive"] as const) {
    Object.defineProperties(properties[kind].value, properties);
  }
  return properties.default.value as unknown as TransactionFunction<A, R>;
}
