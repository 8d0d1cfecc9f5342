/** What a connection remembers of a task that was written and is not answered. */

import type { Task } from "internal/sql/adapter";
import { SQLResultArray } from "internal/sql/result";
import { Columns, type Prepared } from "internal/sql/postgres/statement";

/** A task that was written. */
export class Pending {
  readonly task: Task;
  readonly prepared: Prepared | undefined;
  columns: Columns;
  result: SQLResultArray = new SQLResultArray();
  results: SQLResultArray[] | undefined = undefined;
  error: Error | undefined = undefined;
  /** Only Parse and Describe were sent: the types of the parameters decide what is bound. */
  isDescribing: boolean;
  /** Was told that its statement is out of date: it is run again. */
  isRetried: boolean;
  /** The program does not want it any more. */
  isCancelled = false;
  /** A request to end another query was under way while it was. */
  canBeHit = false;
  /** It has been ended in the place of another: it is run again. */
  isHit = false;
  /** The server has begun with it. */
  isBegun: boolean;
  /** The server waits until the next rows of a cursor are asked for. */
  isSuspended = false;
  /** Of a cursor: its Sync was sent, and the server answers it with the end of the query. */
  isSynced = false;
  constructor(task: Task, prepared: Prepared | undefined, columns: Columns, isDescribing: boolean, isRetried: boolean) {
    this.task = task;
    this.prepared = prepared;
    this.columns = columns;
    this.isDescribing = isDescribing;
    this.isRetried = isRetried;
    // Of a simple query the first message may be its end.
    this.isBegun = task.isSimple;
  }
}
