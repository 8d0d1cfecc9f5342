/** Ends a query that another connection runs. */

import type { Options, Task } from "internal/sql/adapter";

/** Milliseconds until a server that does not answer is left alone. */
const MAX_WAIT = 5000;

/**
 * Sends KILL QUERY over a connection of its own if `isWanted` still says so when it is open. `done` is called once, whether that was
 * possible or not: the query is then answered as the server likes.
 */
export function killQuery(options: Options, thread: number, isWanted: () => boolean, done: () => void): void {
  const { MySQLConnection } = require("internal/sql/mysql/connection");
  const connection = new MySQLConnection(
    { ...options, connection: {} },
    {
      ready() {
        if (!isWanted()) return connection.close();
        const close = (): void => connection.close();
        const task: Task = {
          text: `KILL QUERY ${thread}`,
          values: [],
          isSimple: true,
          mode: 0,
          column: undefined,
          resolve: close,
          reject: close,
        };
        connection.run(task);
      },
      idle() {},
      closed() {
        clearTimeout(timer);
        done();
      },
    },
  );
  const timer = setTimeout(() => connection.destroy(), MAX_WAIT);
  timer.unref();
}
