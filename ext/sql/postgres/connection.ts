/**
 * A connection to PostgreSQL: tasks are written as they come, each with its own Sync, and answered in their order
 * (https://www.postgresql.org/docs/current/protocol-flow.html).
 */

import type { Connection, ConnectionEvents, CopyServer, Options, Task } from "internal/sql/adapter";
import { Channel, inContextOf, type LinkOps } from "internal/sql/channel";
import { FastBuffer } from "internal/buffer/base";
import { nameRefused, type PostgresError } from "internal/sql/errors";
import { SQLResultArray } from "internal/sql/result";
import { Authentication, writeStart } from "internal/sql/postgres/authentication";
import { copyError, copyServer } from "internal/sql/postgres/copying";
import { postgresError, serverError } from "internal/sql/postgres/errors";
import * as Kind from "internal/sql/postgres/messages";
import { Pending } from "internal/sql/postgres/pending";
import { openSocket, requestCancel, type Socket } from "internal/sql/postgres/socket";
import { Columns, FRESH, PARSED, PARSING, Prepared, readColumns } from "internal/sql/postgres/statement";
import {
  PORTAL,
  Statements,
  writeBind,
  writeClose,
  writeCopyFail,
  writeExecute,
  writeParse,
} from "internal/sql/postgres/statements";
import { needsType, typeOf } from "internal/sql/postgres/values";
import { Writer } from "internal/sql/postgres/writer";

const ops = native("sql");

const LINK: LinkOps<Native.PostgresLink> = {
  write: ops.postgresWrite,
  hold: ops.postgresHold,
  detach: ops.postgresDetach,
};

const MAX_PARAMETERS = 65_535;

/** What native code tells beside messages. */
const DONE = -1,
  ROW_FAULT = -2,
  FAULT = -3;

const CONNECTING = 0,
  STARTING = 1,
  OPEN = 2,
  CLOSED = 3;

/** Commands whose count is that of rows that changed. */
const CHANGES = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

/** Milliseconds after which the server is asked again to end a query. */
const CANCEL_AGAIN = 100;

/** "query_canceled", an error's number. */
const CANCELED = "57014";

/** Milliseconds of silence after which a connection is asked whether it is alive. */
const QUIET = 50;

const nothing = (): void => {};

/** A COPY that reads what the client sends. */
const COPIES_IN = /^\s*copy\b[^;]*\bfrom\s+stdin\b/i;

export class PostgresConnection implements Connection {
  isInTransaction = false;
  #options: Options;
  #events: ConnectionEvents;
  #state = CONNECTING;
  #socket: Socket | undefined = undefined;
  #abandon: () => void = nothing;
  /** Reads and writes the socket. */
  #channel: Channel<Native.PostgresLink> | undefined = undefined;
  #authentication: Authentication | undefined = undefined;
  #writer = new Writer();
  #isFlushing = false;
  /** Not written yet. */
  #queue: Task[] = [];
  #queueHead = 0;
  /** Written, in order. */
  #sent: Pending[] = [];
  #sentHead = 0;
  /** The task that waits for the types of its parameters: nothing is written before it is bound. */
  #describing: Pending | undefined = undefined;
  /** The COPY or the cursor that is under way: nothing else is written. */
  #exclusive: Pending | undefined = undefined;
  /** Requests to end a query that are under way. */
  #cancels = 0;
  /** Tasks of that kind that are not answered. */
  #exclusives = 0;
  #statements = new Statements(this.#writer);
  /** When the last task was answered. */
  #lastRead = 0;
  #pid = 0;
  #secret: Buffer = Buffer.alloc(0);
  #isRefed = false;
  #isClosing = false;
  /** The last error of the server that was no answer: why it closes. */
  #farewell: Error | undefined = undefined;

  constructor(options: Options, events: ConnectionEvents) {
    this.#options = options;
    this.#events = events;
    this.#abandon = openSocket(options, {
      open: (socket, isSecure) => this.#opened(socket, isSecure),
      failed: (error) => this.#lost(error),
    });
  }

  /** Behind a COPY or a cursor nothing is answered before it ends. */
  get canPipeline(): boolean {
    return this.#exclusives === 0;
  }

  get pending(): number {
    return this.#queue.length - this.#queueHead + (this.#sent.length - this.#sentHead);
  }

  // ---- the beginning

  #opened(socket: Socket, isSecure: boolean): void {
    this.#socket = socket;
    this.#state = STARTING;
    const writer = this.#writer;
    const handle = socket._handle;
    const link = handle && ops.postgresLink(handle.id, inContextOf(handle, this.#told));
    if (!handle || !link) return this.#closed(undefined);
    this.#channel = new Channel(handle, link, LINK, writer, this.#closed);
    const options = this.#options;
    this.#authentication = new Authentication({ options, socket, isSecure, writer, write: () => this.#write() });
    socket.on("error", (error: Error) => this.#closed(error));
    socket.on("close", () => this.#closed(undefined));
    writeStart(writer, options);
    this.#write();
  }

  #told = (kind: number, first: unknown, command?: string, count?: number, status?: number): void => {
    try {
      if (kind === DONE) this.#done(first as unknown[] | undefined, command!, count!, status!);
      else if (kind === Kind.COMMAND_COMPLETE) this.#complete(this.#current, command!, count!);
      else this.#message(kind, first);
    } catch (error) {
      this.#lost(error instanceof RangeError ? postgresError("INVALID_MESSAGE", error.message) : (error as Error));
    }
  };

  #closed = (cause: Error | undefined): void => {
    const closed = postgresError("CONNECTION_CLOSED", "Connection closed");
    if (cause !== undefined)
      Object.defineProperty(closed, "cause", { value: cause, writable: true, configurable: true });
    this.#lost(this.#farewell ?? closed);
  };

  #write(): void {
    this.#channel?.write();
  }

  // ---- tasks

  run(task: Task): void {
    if (this.#state === CLOSED || this.#isClosing) {
      task.reject(postgresError("CONNECTION_CLOSED", "Connection closed"));
      return;
    }
    if (task.copy !== undefined || task.cursor !== undefined) this.#exclusives++;
    this.#queue.push(task);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    queueMicrotask(this.#flush);
  }

  /** Writes what can be written. */
  #flush = (): void => {
    this.#isFlushing = false;
    if (this.#state !== OPEN) return;
    const failed: [Task, unknown][] = [];
    while (this.#queueHead < this.#queue.length && this.#describing === undefined && this.#exclusive === undefined) {
      const task = this.#queue[this.#queueHead]!;
      const { size } = this.#writer;
      try {
        if (!this.#send(task)) break;
      } catch (error) {
        this.#writer.truncate(size);
        failed.push([task, error]);
        if (task.copy !== undefined || task.cursor !== undefined) this.#exclusives--;
      }
      this.#queueHead++;
    }
    if (this.#queueHead === this.#queue.length) {
      this.#queue = [];
      this.#queueHead = 0;
    } else if (this.#queueHead > 1024) {
      this.#queue = this.#queue.slice(this.#queueHead);
      this.#queueHead = 0;
    }
    this.#write();
    if (failed.length === 0) return;
    if (this.pending === 0) this.#becomeIdle();
    for (const [task, error] of failed) task.reject(error);
  };

  #add(
    task: Task,
    prepared: Prepared | undefined,
    columns: Columns,
    isDescribing: boolean,
    isRetried: boolean,
  ): Pending {
    const pending = new Pending(task, prepared, columns, isDescribing, isRetried);
    pending.canBeHit = this.#cancels > 0;
    const { mode, column, cursor } = task;
    const isKnown = prepared?.state === PARSED && cursor === undefined;
    const handle = columns === Columns.none ? undefined : columns.handleFor(column);
    ops.postgresExpect(this.#channel!.link, handle, mode, isKnown);
    this.#sent.push(pending);
    return pending;
  }

  /** Writes a task; false if it has to wait. */
  #send(task: Task, isRetried = false): boolean {
    const writer = this.#writer;
    const { text, values } = task;
    // The server would wait for data, and take what else is written for them.
    if (task.copy === undefined && COPIES_IN.test(text)) throw copyError();
    if (text.includes("\0")) throw postgresError("INVALID_QUERY", "A statement cannot have null bytes");
    if (task.isSimple) {
      writer.begin(Kind.QUERY);
      writer.cstring(text);
      writer.end();
      const pending = this.#add(task, undefined, Columns.none, false, false);
      if (task.copy !== undefined) this.#exclusive = pending;
      return true;
    }
    if (values.length > MAX_PARAMETERS) {
      const message = `Too many parameters: ${values.length}. PostgreSQL supports at most ${MAX_PARAMETERS}`;
      throw postgresError("TOO_MANY_PARAMETERS", message);
    }
    const types: number[] = [];
    let isOpen = false;
    for (const value of values) {
      types.push(typeOf(value));
      isOpen ||= needsType(value);
    }
    const prepared = this.#options.prepare ? this.#statements.find(text, types) : new Prepared("", text, types);
    // The server has not said whether it takes this statement.
    if (prepared.state === PARSING) return false;
    const isFresh = prepared.state === FRESH;
    // Values that are missing are the server's to complain about.
    if (isFresh) writeParse(writer, prepared);
    if (isFresh && isOpen) {
      this.#put(Kind.FLUSH);
      this.#describing = this.#add(task, prepared, Columns.none, true, isRetried);
      prepared.state = PARSING;
      return true;
    }
    const columns = prepared.columns?.asked ?? Columns.none;
    writeBind(writer, prepared, values, columns.formats, task.cursor?.size ?? 0);
    const pending = this.#add(task, prepared, columns, false, isRetried);
    // Not before: of a value that cannot be written nothing is sent.
    if (isFresh) prepared.state = PARSING;
    this.#bound(pending);
    return true;
  }

  /** Behind a cursor comes no Sync, which would close it: the server waits for what follows its first rows. */
  #bound(pending: Pending): void {
    if (pending.task.cursor === undefined) return this.#put(Kind.SYNC);
    this.#put(Kind.FLUSH);
    this.#exclusive = pending;
  }

  #put(kind: number): void {
    this.#writer.begin(kind);
    this.#writer.end();
  }

  /** The server has told the types of the parameters. */
  #bindDescribed(): void {
    const pending = this.#describing;
    if (pending === undefined) return;
    const writer = this.#writer;
    const { size } = writer;
    try {
      const { asked } = pending.columns;
      ops.postgresColumns(this.#channel!.link, asked.handleFor(pending.task.column));
      writeBind(writer, pending.prepared!, pending.task.values, asked.formats, pending.task.cursor?.size ?? 0);
      pending.columns = asked;
      pending.isDescribing = false;
      this.#bound(pending);
    } catch (error) {
      writer.truncate(size);
      pending.error = error as Error;
      this.#put(Kind.SYNC);
    }
    this.#describing = undefined;
    this.#schedule();
    if (this.#isFlushing) this.#write();
  }

  isAlive(): boolean {
    if (Date.now() - this.#lastRead < QUIET) return true;
    const handle = this.#socket?._handle;
    if (!handle) return false;
    const { fd } = handle;
    return fd === undefined || ops.isOpen(fd);
  }

  cancel(task: Task): void {
    const at = this.#queue.indexOf(task, this.#queueHead);
    if (at >= 0) {
      this.#queue.splice(at, 1);
      if (task.copy !== undefined || task.cursor !== undefined) this.#exclusives--;
      if (this.pending === 0) this.#becomeIdle();
      task.reject(postgresError("QUERY_CANCELLED", "Query cancelled"));
      return;
    }
    const cursor = [this.#exclusive, this.#describing].find((pending) => pending?.task === task);
    if (cursor !== undefined && task.cursor !== undefined) {
      // The rows that are asked for may be on their way: nobody gets them.
      cursor.error ??= postgresError("QUERY_CANCELLED", "Query cancelled");
      if (cursor.isSuspended) return this.#closeCursor(cursor);
    }
    for (let i = this.#sentHead; i < this.#sent.length; i++) {
      const pending = this.#sent[i]!;
      if (pending.task !== task) continue;
      pending.isCancelled = true;
      // The server ends what runs: that is the first. Others are ended when it is their turn.
      if (i === this.#sentHead) this.#requestCancel();
      return;
    }
  }

  /** Asks the server to end the first query. If that has ended by then, the next one is hit, which is run again. */
  #requestCancel(): void {
    for (let i = this.#sentHead + 1; i < this.#sent.length; i++) this.#sent[i]!.canBeHit = true;
    this.#cancels++;
    const pending = this.#sent[this.#sentHead];
    requestCancel(this.#options, this.#pid, this.#secret, () => {
      this.#cancels--;
      // A server that had not begun with it has forgotten the request.
      const again = (): void => {
        if (this.#state === OPEN && this.#sent[this.#sentHead] === pending) this.#requestCancel();
      };
      setTimeout(again, CANCEL_AGAIN).unref();
    });
  }

  // ---- messages of the server

  get #current(): Pending {
    const pending = this.#sent[this.#sentHead];
    if (pending === undefined) throw postgresError("UNEXPECTED_MESSAGE", "The server answers what was not asked");
    return pending;
  }

  /** A query of a known statement is done. */
  #done(rows: unknown[] | undefined, command: string, count: number, status: number): void {
    const pending = this.#current;
    if (rows !== undefined) this.#rows(pending, rows);
    this.#complete(pending, command, count);
    this.#ready(status);
  }

  /** Rows of the first query. */
  #rows(pending: Pending, rows: unknown[]): void {
    if (pending.error !== undefined) return;
    const { columns, task } = pending;
    try {
      columns.finish(rows, task.mode, task.column);
    } catch (error) {
      this.#damaged(pending, error as Error);
      return;
    }
    const { result } = pending;
    for (let i = 0; i < rows.length; i++) result.push(rows[i]);
  }

  /** What the server sends next are rows of the columns that it has told. */
  #expectRows(pending: Pending): void {
    try {
      ops.postgresColumns(this.#channel!.link, pending.columns.handleFor(pending.task.column));
    } catch (error) {
      // A function of the program does not like a name.
      pending.error ??= error as Error;
    }
  }

  /** A row cannot be read. */
  #damaged(pending: Pending, error: Error): void {
    pending.error ??= error instanceof RangeError ? postgresError("INVALID_BINARY_DATA", error.message) : error;
  }

  /** A message, or what native code says of one. */
  #message(kind: number, first: unknown): void {
    switch (kind) {
      case Kind.DATA_ROW:
        return this.#rows(this.#current, first as unknown[]);
      case ROW_FAULT:
        return this.#damaged(this.#current, first as Error);
      case FAULT:
        throw postgresError("INVALID_MESSAGE_LENGTH", "The server sends a message of an impossible length");
      default: {
        const { buffer, byteOffset, byteLength } = first as Uint8Array;
        this.#handle(kind, new FastBuffer(buffer, byteOffset, byteLength) as unknown as Buffer);
      }
    }
  }

  #handle(kind: number, body: Buffer): void {
    switch (kind) {
      case Kind.PARSE_COMPLETE: {
        const pending = this.#current;
        pending.isBegun = true;
        if (pending.prepared !== undefined) pending.prepared.state = PARSED;
        // Others may wait for this one.
        if (this.#queueHead < this.#queue.length) this.#schedule();
        return;
      }
      case Kind.EMPTY_QUERY:
        return this.#complete(this.#current, "", 0);
      case Kind.READY:
        return this.#ready(body[0]!);
      case Kind.PARAMETERS: {
        const { prepared } = this.#current;
        if (prepared === undefined) return;
        const list: number[] = [];
        for (let at = 2; at + 4 <= body.length; at += 4) list.push(body.readUInt32BE(at));
        prepared.parameters = list;
        return;
      }
      case Kind.ROWS:
      case Kind.NO_DATA: {
        const pending = this.#current;
        const { list, formats } = kind === Kind.ROWS ? readColumns(body) : { list: [], formats: [] };
        const columns = new Columns(list, formats, this.#options.bigint, pending.task.values.length > 0);
        pending.columns = columns;
        if (pending.prepared !== undefined) pending.prepared.columns = columns;
        if (pending.isDescribing) this.#bindDescribed();
        else this.#expectRows(pending);
        return;
      }
      case Kind.ERROR:
        return this.#failed(serverError(body));
      case Kind.NOTIFICATION:
        return this.#notified(body);
      case Kind.KEY_DATA:
        this.#pid = body.readInt32BE(0);
        this.#secret = Buffer.from(body.subarray(4));
        return;
      case Kind.AUTHENTICATION:
        if (this.#state !== STARTING) throw postgresError("UNEXPECTED_MESSAGE", "The server asks again who we are");
        // oxlint-disable-next-line typescript/no-floating-promises
        this.#authentication!.take(body).catch((error: Error) => this.#lost(error));
        return;
      case Kind.COPY_IN:
      case Kind.COPY_BOTH:
        return this.#copyIn();
      case Kind.COPY_OUT: {
        const pending = this.#current;
        if (pending.task.copy?.direction === "out") pending.task.copy.begin(this.#copyServer(pending));
        else pending.error ??= copyError();
        return;
      }
      case Kind.COPY_DATA: {
        const { task, error } = this.#current;
        if (error !== undefined || task.copy?.direction !== "out") return;
        task.copy.data(new Uint8Array(body.buffer, body.byteOffset, body.byteLength));
        return;
      }
      case Kind.SUSPENDED:
        return this.#suspended(this.#current);
      default:
        throw postgresError("UNEXPECTED_MESSAGE", `The server sends a message of an unknown kind ${kind}`);
    }
  }

  /** The server waits for data. */
  #copyIn(): void {
    const pending = this.#current;
    if (pending.task.copy?.direction === "in") {
      pending.task.copy.begin(this.#copyServer(pending));
      return;
    }
    pending.error = copyError();
    // What was written behind it has been taken for data: the answers no longer fit the questions.
    if (this.#sent.length - this.#sentHead > 1) {
      this.destroy(copyError());
      return;
    }
    writeCopyFail(this.#writer, "COPY needs a stream");
    // The server has not seen the Sync of an extended query.
    if (!pending.task.isSimple) this.#sync(pending);
    this.#write();
  }

  /** The server has sent the rows of a cursor that were asked for, and has more. */
  #suspended(pending: Pending): void {
    const { cursor } = pending.task;
    // Of a row that could not be read the query ends.
    if (cursor === undefined || pending.error !== undefined) return this.#closeCursor(pending);
    const { result } = pending;
    this.#describe(pending, result);
    pending.result = new SQLResultArray();
    pending.isSuspended = true;
    cursor.rows(result, {
      more: () => {
        if (!pending.isSuspended || this.#state !== OPEN) return;
        pending.isSuspended = false;
        writeExecute(this.#writer, cursor.size);
        this.#put(Kind.FLUSH);
        this.#write();
      },
      close: () => {
        if (pending.isSuspended) this.#closeCursor(pending);
      },
    });
  }

  /** Closes what the server has open; its Sync ends the query. */
  #closeCursor(pending: Pending): void {
    if (this.#exclusive !== pending || this.#state !== OPEN || pending.isSynced) return;
    pending.isSuspended = false;
    writeClose(this.#writer, PORTAL, "");
    this.#sync(pending);
    this.#write();
  }

  /** Sends the Sync that a query still needs. A second one would be answered in the place of the next query. */
  #sync(pending: Pending): void {
    if (pending.isSynced) return;
    pending.isSynced = true;
    this.#put(Kind.SYNC);
  }

  #describe({ task, prepared, columns }: Pending, result: SQLResultArray): void {
    result.setOrigin(columns.originOf(task.text, prepared?.parameters));
  }

  #copyServer(pending: Pending): CopyServer {
    const isUnderWay = (): boolean => this.#exclusive === pending && this.#state === OPEN;
    return copyServer(this.#channel!, this.#writer, isUnderWay);
  }

  /** A statement is done, which has given or changed so many rows. */
  #complete(pending: Pending, command: string, count: number): void {
    const { result } = pending;
    result.command = command === "" ? null : command;
    result.count = count;
    if (CHANGES.has(command)) result.affectedRows = count;
    this.#describe(pending, result);
    const { cursor } = pending.task;
    if (cursor !== undefined) {
      this.#sync(pending);
      this.#write();
      if (result.length > 0 && pending.error === undefined) cursor.rows(result, undefined);
    }
    if (!pending.task.isSimple) return;
    (pending.results ??= []).push(result);
    pending.result = new SQLResultArray();
    pending.columns = Columns.none;
  }

  #failed(error: PostgresError): void {
    if (this.#state !== OPEN) {
      nameRefused(error, this.#options);
      this.#lost(error);
      return;
    }
    const pending = this.#sent[this.#sentHead];
    // Nobody asked: the server says why it will close.
    if (pending === undefined || error.severity === "FATAL" || error.severity === "PANIC") this.#farewell = error;
    if (pending === undefined) return;
    pending.error ??= error;
    const { prepared, task } = pending;
    if (error.errno === CANCELED && pending.canBeHit && !pending.isCancelled && !pending.isRetried) {
      // The server has undone what it had done.
      pending.isHit = !this.isInTransaction && task.copy === undefined && task.cursor === undefined;
    }
    if (prepared !== undefined) {
      const isStale = error.errno === "0A000" && error.routine === "RevalidateCachedQuery";
      const isUnknown = error.errno === "26000" && prepared.state === PARSED;
      if (prepared.state === PARSING || isStale || isUnknown) {
        this.#statements.forget(prepared);
        // The server has done nothing yet.
        const isFirst = !pending.isRetried && pending.error === error;
        if ((isStale || isUnknown) && isFirst && !this.isInTransaction) pending.isRetried = true;
        if (this.#queueHead < this.#queue.length) this.#schedule();
      }
    }
    if (this.#exclusive === pending && pending.task.cursor !== undefined) {
      // The server waits for the Sync that no cursor has. What fails behind it is the commit.
      this.#sync(pending);
      this.#write();
    }
    if (this.#describing === pending) {
      this.#describing = undefined;
      pending.isDescribing = false;
      this.#put(Kind.SYNC);
      this.#write();
      this.#schedule();
    }
  }

  #ready(status: number): void {
    this.isInTransaction = status !== 73;
    if (this.#state === STARTING) {
      this.#state = OPEN;
      this.#authentication = undefined;
      ops.postgresOpen(this.#channel!.link);
      this.#hold();
      this.#events.ready(this);
      this.#flush();
      return;
    }
    const pending = this.#current;
    if (this.#exclusive === pending) {
      this.#exclusive = undefined;
      if (this.#queueHead < this.#queue.length) this.#schedule();
    }
    this.#sentHead++;
    if (this.#sentHead === this.#sent.length) {
      this.#sent = [];
      this.#sentHead = 0;
    } else if (this.#sentHead > 1024) {
      this.#sent = this.#sent.slice(this.#sentHead);
      this.#sentHead = 0;
    }
    if (this.#sent[this.#sentHead]?.isCancelled === true) this.#requestCancel();
    const { task, error, result, results, isRetried } = pending;
    const isStale = isRetried && pending.prepared?.state === FRESH;
    const isHit = pending.isHit && results === undefined;
    if (error !== undefined && (isStale || isHit) && this.#describing === undefined) {
      // Once more, with a statement that is made anew if that was the reason.
      const { size } = this.#writer;
      try {
        if (this.#send(task, true)) {
          this.#write();
          return;
        }
      } catch {
        // The error that came first says more.
        this.#writer.truncate(size);
      }
    }
    if (task.copy !== undefined || task.cursor !== undefined) this.#exclusives--;
    if (this.pending === 0) this.#becomeIdle();
    if (error !== undefined) task.reject(error);
    else if (results === undefined) task.resolve(result);
    else task.resolve(results.length === 1 ? results[0]! : results);
  }

  #becomeIdle(): void {
    this.#lastRead = Date.now();
    if (this.#isClosing) this.#terminate();
    else this.#events.idle(this);
  }

  #notified(body: Buffer): void {
    const pid = body.readInt32BE(0);
    const end = body.indexOf(0, 4);
    const channel = body.utf8Slice(4, end);
    this.#events.notified?.(channel, body.utf8Slice(end + 1, body.length - 1), pid);
  }

  // ---- the end

  close(): void {
    if (this.#state === CLOSED || this.#isClosing) return;
    this.#isClosing = true;
    if (this.#state !== OPEN) this.destroy();
    else if (this.pending === 0) this.#terminate();
  }

  #terminate(): void {
    this.#put(Kind.TERMINATE);
    this.#write();
    this.#end(undefined);
  }

  destroy(error?: Error): void {
    this.#end(error);
  }

  #lost(error: Error): void {
    this.#end(this.#isClosing ? undefined : error);
  }

  #end(error: Error | undefined): void {
    if (this.#state === CLOSED) return;
    const wasOpen = this.#state === OPEN;
    this.#state = CLOSED;
    const socket = this.#socket;
    if (socket === undefined) this.#abandon();
    else {
      socket.removeAllListeners();
      socket.on("error", nothing);
      if (this.#channel?.detach()) this.#sent[this.#sentHead]!.isBegun = true;
      // Politely: what was written goes out before.
      if (wasOpen && this.#isClosing) socket.end(() => socket.destroy());
      else socket.destroy();
      socket.unref();
    }
    this.#exclusive = undefined;
    // A server that says that it ends has not begun with what it has not answered at all. Without a word nobody knows.
    const isTold = error !== undefined && error === this.#farewell;
    const tasks = this.#sent
      .slice(this.#sentHead)
      .map(({ task, isBegun }) => ({ task, isUntouched: isTold && !isBegun }));
    for (const task of this.#queue.slice(this.#queueHead)) tasks.push({ task, isUntouched: true });
    this.#sent = [];
    this.#queue = [];
    this.#sentHead = this.#queueHead = 0;
    const reason = error ?? postgresError("CONNECTION_CLOSED", "Connection closed");
    // Never from within a call of the owner.
    process.nextTick(() => {
      // The last first: each goes to the head of the line.
      const lost = tasks.reverse().filter(({ task, isUntouched }) => !isUntouched || !task.retry?.());
      for (const { task } of lost.reverse()) task.reject(reason);
      this.#events.closed(this, error);
    });
  }

  ref(): void {
    this.#isRefed = true;
    this.#hold();
  }

  unref(): void {
    this.#isRefed = false;
    this.#hold();
  }

  /** Keeps the process running; as long as an answer is awaited native code does. */
  #hold(): void {
    this.#channel?.hold(this.#isRefed || this.#state !== OPEN);
  }
}
