/** A connection to a server: greeting, TLS, authentication; then commands, answered in their order. */

import { FastBuffer } from "internal/buffer/base";
import type { Connection, ConnectionEvents, Options, Task } from "internal/sql/adapter";
import { Channel, inContextOf, type LinkOps } from "internal/sql/channel";
import { valueOf, writeParameters } from "internal/sql/mysql/encode";
import { mysqlError, ProtocolError } from "internal/sql/mysql/error";
import { readError } from "internal/sql/mysql/handshake";
import {
  Answer,
  DEFINITIONS,
  DONE,
  END,
  EXPECT_PACKETS,
  EXPECT_RESULT,
  EXPECT_ROWS,
  FAULT,
  PACKET,
  ROWS,
  type Traits,
} from "internal/sql/mysql/answer";
import { Login } from "internal/sql/mysql/login";
import { killQuery } from "internal/sql/mysql/kill";
import { Reader, Writer } from "internal/sql/mysql/packets";
import {
  CLIENT_DEPRECATE_EOF,
  COM_QUERY,
  COM_QUIT,
  COM_STMT_CLOSE,
  COM_STMT_EXECUTE,
  COM_STMT_FETCH,
  COM_STMT_PREPARE,
  CURSOR_TYPE_NONE,
  CURSOR_TYPE_READ_ONLY,
  ER_PARSE_ERROR,
  ERR,
  FATAL_ERRORS,
  LOCAL_INFILE,
  MARIADB_CACHE_METADATA,
  MARIADB_EXTENDED_METADATA,
  STATUS_IN_TRANSACTION,
} from "internal/sql/mysql/protocol";
import { SQLResultArray } from "internal/sql/result";
import { settingsOf } from "internal/sql/mysql/settings";
import { Statement } from "internal/sql/mysql/statement";
import { Wire } from "internal/sql/mysql/wire";

const ops = native("sql");

const LINK: LinkOps<Native.MysqlLink> = { write: ops.mysqlWrite, hold: ops.mysqlHold, detach: ops.mysqlDetach };

/** Most statements that a connection keeps: servers count those of all connections together, 16,382 by default. */
const MAX_STATEMENTS = 250;
/** Milliseconds in which the peer closes after a polite end. */
const MAX_GOODBYE = 2000;
/** Milliseconds after a sign of life in which the kernel is not asked for another. */
const QUIET = 500;

const STARTING = 0,
  OPEN = 1,
  /** No more tasks come; those that were run are answered first. */
  CLOSING = 2,
  CLOSED = 3;

/** A task on its way. */
interface Job {
  /** Undefined for a setting of the connection itself. */
  task: Task | undefined;
  answer: Answer | undefined;
  isCancelled: boolean;
  /** The server waits until the next rows of a cursor are asked for. */
  isSuspended?: boolean;
}

export class MySQLConnection implements Connection {
  #options: Options;
  #events: ConnectionEvents;
  #wire: Wire | undefined = undefined;
  /** Reads and writes the socket, once the connection is open. */
  #channel: Channel<Native.MysqlLink> | undefined = undefined;
  #reader = new Reader();
  #writer = new Writer();
  #state = STARTING;
  #login: Login | undefined = undefined;
  /** The server's number of the connection. */
  #thread = 0;
  /** What the login says of answers. */
  #traits: Traits = { hasEof: true, isExtended: false, isCached: false, bigint: false };
  #setup = 0;

  /** Sent, in order; `#head` is the place of the first. */
  #sent: Job[] = [];
  #head = 0;
  /** Not sent yet: a statement is being prepared, or the server is asked to end a query. */
  #waiting: Job[] = [];
  #isBlocked = false;
  #kills = 0;
  #flushes = false;
  #statements = new Map<string, Statement>();
  #status = 0;
  #lastRead = 0;
  #isReffed = false;
  #isHeld = true;
  #timer: ReturnType<typeof setTimeout> | undefined = undefined;

  /** Cursors that are not at their end: nothing else is sent before. */
  #cursors = 0;

  get canPipeline(): boolean {
    return this.#cursors === 0;
  }

  constructor(options: Options, events: ConnectionEvents) {
    this.#options = options;
    this.#events = events;
    void this.#connect();
  }

  get pending(): number {
    return this.#sent.length - this.#head + this.#waiting.length;
  }

  get isInTransaction(): boolean {
    return (this.#status & STATUS_IN_TRANSACTION) !== 0;
  }

  /** A server that ended the connection while the loop was busy is found out before a task is lost. */
  isAlive(): boolean {
    return performance.now() - this.#lastRead < QUIET || (this.#wire?.isOpen ?? false);
  }

  // ---- the beginning

  async #connect(): Promise<void> {
    try {
      const { password } = this.#options;
      // Never from within `Adapter.connect`.
      const given = await (typeof password === "function" ? password() : password);
      if (this.#state === CLOSED) return;
      const wire = new Wire(this.#options, {
        data: (chunk) => this.#data(chunk),
        lost: (error) => this.#lost(error),
      });
      this.#wire = wire;
      this.#login = new Login({
        options: this.#options,
        password: given === undefined || given === null ? "" : String(given),
        wire,
        writer: this.#writer,
        flush: this.#flush,
        failed: (error) => this.#broken(error),
      });
    } catch (error) {
      this.#end(error as Error);
    }
  }

  #lost(error: Error | undefined): void {
    const { path } = this.#options;
    if (this.#state === CLOSING && this.pending === 0) return this.#end(undefined);
    if (this.#state >= OPEN) return this.#end(mysqlError("CONNECTION_CLOSED", "Connection closed"));
    if (this.#login?.isSecuring && error !== undefined) return this.#end(error);
    if (error === undefined || this.#login?.greeting !== undefined) {
      return this.#end(mysqlError("CONNECTION_FAILED", "Connection closed before the connection was established"));
    }
    const text = path === undefined ? "Failed to connect" : `Failed to connect to ${path}`;
    const refused = mysqlError("CONNECTION_REFUSED", text);
    Object.defineProperty(refused, "cause", { value: error, configurable: true, writable: true });
    this.#end(refused);
  }

  /** Bytes that come before native code reads the socket. */
  #data(chunk: Buffer): void {
    const reader = this.#reader;
    try {
      reader.feed(chunk);
      while (this.#state < OPEN && reader.next()) {
        if (this.#login!.packet(reader)) this.#opened();
      }
      if (this.#state === OPEN && reader.hasRest) {
        if (!reader.next()) reader.load(Buffer.alloc(0));
        this.#unasked();
      }
    } catch (error) {
      this.#broken(error);
    }
  }

  /** A packet that nobody waits for. */
  #unasked(): never {
    const reader = this.#reader;
    // The server says why it ends the connection.
    if (reader.bytes[reader.at] === ERR && reader.end > reader.at) {
      reader.uint8();
      throw readError(reader);
    }
    throw new ProtocolError("UNEXPECTED_PACKET", "The server answers what was not asked");
  }

  /** The server says what it must not, or refuses. */
  #broken(error: unknown): void {
    if (error instanceof ProtocolError) this.#end(mysqlError(error.kind, error.message));
    else this.#end(error as Error);
  }

  /** Dates come in UTC, and the settings of the options hold; then the connection is ready. */
  #opened(): void {
    this.#state = OPEN;
    const { agreement, greeting, status } = this.#login!;
    const { capabilities, extended } = agreement;
    this.#login = undefined;
    this.#thread = greeting!.thread;
    this.#status = status;
    this.#traits = {
      hasEof: (capabilities & CLIENT_DEPRECATE_EOF) === 0,
      isExtended: (extended & MARIADB_EXTENDED_METADATA) !== 0,
      isCached: (extended & MARIADB_CACHE_METADATA) !== 0,
      bigint: this.#options.bigint,
    };
    this.#takeOver();
    const settings = settingsOf(this.#options.connection);
    this.#setup = settings.length;
    for (const text of settings) this.#send({ task: undefined, answer: undefined, isCancelled: false }, text);
    this.#flush();
  }

  /** Native code reads the socket, without the streams above it, and tells what the answers are. */
  #takeOver(): void {
    const handle = this.#wire!.handle;
    const told = (kind: number, first: unknown, second?: number | bigint, status?: number): void => {
      try {
        this.#told(kind, first, second, status);
      } catch (error) {
        this.#broken(error);
      }
    };
    const { hasEof, isCached } = this.#traits;
    const link = handle && ops.mysqlLink(handle.id, hasEof, isCached, inContextOf(handle, told));
    if (!handle || !link) throw mysqlError("CONNECTION_CLOSED", "Connection closed");
    this.#channel = new Channel(handle, link, LINK, this.#writer, (error) => this.#lost(error));
  }

  #isSet(error: Error | undefined): void {
    if (error !== undefined && !settingsOf.isHarmless(error)) throw error;
    if (--this.#setup > 0) return;
    this.#hold();
    this.#events.ready(this);
  }

  // ---- tasks

  run(task: Task): void {
    if (this.#state !== OPEN) {
      task.reject(mysqlError("CONNECTION_CLOSED", "Connection closed"));
      return;
    }
    if (task.cursor !== undefined) this.#cursors++;
    this.#add({ task, answer: undefined, isCancelled: false });
    this.#hold();
  }

  #add(job: Job): void {
    if (this.#isBlocked || this.#kills > 0 || this.#waiting.length > 0) this.#waiting.push(job);
    else this.#start(job);
  }

  #start(job: Job): void {
    const task = job.task!;
    if (job.isCancelled) return this.#reject(job, cancelled());
    try {
      if (task.isSimple) return this.#send(job, task.text);
      // The server closes the cursor of a statement that is run again: each has its own.
      if (task.cursor !== undefined) return this.#prepare(job, new Statement(task.text));
      const { prepare } = this.#options;
      const known = prepare ? this.#statements.get(task.text) : undefined;
      if (known === undefined) return this.#prepare(job, new Statement(task.text));
      // Those that are used stay longest.
      if (this.#statements.size > MAX_STATEMENTS / 2) {
        this.#statements.delete(task.text);
        this.#statements.set(task.text, known);
      }
      if (known.error !== undefined) return this.#reject(job, known.error);
      this.#execute(job, known);
    } catch (error) {
      this.#reject(job, error);
    }
  }

  /** A text goes as it is. */
  #send(job: Job, text: string): void {
    const writer = this.#writer;
    writer.begin(0);
    writer.uint8(COM_QUERY);
    writer.text(text);
    if (!writer.end()) throw overflow();
    const answer = (job.answer = new Answer(job.task, undefined, this.#traits));
    this.#sent.push(job);
    ops.mysqlExpect(this.#channel!.link, undefined, answer.mode, EXPECT_RESULT);
    this.#flushLater();
  }

  #prepare(job: Job, statement: Statement): void {
    const writer = this.#writer;
    writer.begin(0);
    writer.uint8(COM_STMT_PREPARE);
    writer.text(statement.text);
    if (!writer.end()) throw overflow();
    const answer = (job.answer = new Answer(job.task, statement, this.#traits));
    answer.isPreparing = true;
    ops.mysqlExpect(this.#channel!.link, undefined, answer.mode, EXPECT_PACKETS);
    // What comes after waits: its own answer must not come before.
    this.#isBlocked = true;
    this.#sent.push(job);
    this.#flushLater();
  }

  /** Throws what a value cannot be sent for; nothing is written then. */
  #execute(job: Job, statement: Statement): void {
    const { values } = job.task!;
    const count = values.length;
    const own = [];
    for (let i = 0; i < count; i++) own.push(valueOf(values[i]));
    // A getter can make the list longer.
    if (own.length !== statement.parameters || values.length !== count) {
      throw mysqlError("WRONG_NUMBER_OF_PARAMETERS_PROVIDED", "Wrong number of parameters provided");
    }
    const answer = job.answer ?? new Answer(job.task, statement, this.#traits);
    answer.expectResult();
    const { handle } = answer;
    const writer = this.#writer;
    writer.begin(0);
    writer.uint8(COM_STMT_EXECUTE);
    writer.uint32(statement.id);
    writer.uint8(job.task!.cursor === undefined ? CURSOR_TYPE_NONE : CURSOR_TYPE_READ_ONLY);
    writer.uint32(1);
    if (own.length > 0) writeParameters(writer, own);
    if (!writer.end()) throw overflow();
    if (job.answer === undefined) {
      job.answer = answer;
      this.#sent.push(job);
    }
    ops.mysqlExpect(this.#channel!.link, handle, answer.mode, EXPECT_RESULT);
    this.#flushLater();
  }

  /** The statement of the first task is prepared, or not. */
  #prepared(job: Job, statement: Statement, error: Error | undefined): void {
    if (job.task!.cursor !== undefined) return this.#openCursor(job, statement, error);
    this.#isBlocked = false;
    if (error !== undefined) {
      // Other mistakes can end, as that of a table that is not there yet.
      if ((error as { errno?: number }).errno === ER_PARSE_ERROR) this.#keep(statement);
      statement.error = error;
      return this.#finish(job, error);
    }
    if (this.#options.prepare) this.#keep(statement);
    try {
      // The server had nothing to end.
      if (job.isCancelled) throw cancelled();
      this.#execute(job, statement);
    } catch (mistake) {
      if (!this.#options.prepare) this.#forget(statement);
      return this.#finish(job, mistake);
    }
    if (!this.#options.prepare) this.#forget(statement);
    this.#startWaiting();
  }

  // ---- cursors

  /** The statement of a cursor is prepared, or not. */
  #openCursor(job: Job, statement: Statement, error: Error | undefined): void {
    if (error !== undefined) return this.#closeCursor(job, error, false);
    if (job.isCancelled) return this.#closeCursor(job, cancelled());
    try {
      this.#execute(job, statement);
    } catch (mistake) {
      this.#closeCursor(job, mistake);
    }
  }

  /** Rows of a cursor have come, or it is open. */
  #cursorAnswered(job: Job, error: unknown): void {
    const { rows, hasCursor } = job.answer!;
    // The rows may have come before the server heard of it: nobody gets them.
    if (job.isCancelled) this.#closeCursor(job, cancelled());
    else if (error !== undefined) this.#closeCursor(job, error);
    else if (hasCursor && rows.length === 0) this.#fetch(job);
    else this.#giveRows(job, rows, hasCursor);
  }

  /** Gives rows to the cursor; a server that has opened none has sent all of them. */
  #giveRows(job: Job, all: SQLResultArray, hasCursor: boolean): void {
    const cursor = job.task!.cursor!;
    let rows = all;
    if (!hasCursor && all.length > cursor.size) {
      rows = new SQLResultArray();
      for (const row of all.splice(0, cursor.size)) rows.push(row);
      rows.setOrigin(all.statement);
    } else all = new SQLResultArray();
    rows.count = rows.length;
    if (!hasCursor && all.length === 0) {
      if (rows.length > 0) cursor.rows(rows, undefined);
      return this.#closeCursor(job, undefined);
    }
    job.isSuspended = true;
    const ask = (next: () => void): void => {
      if (!job.isSuspended || this.#state === CLOSED) return;
      job.isSuspended = false;
      next();
    };
    cursor.rows(rows, {
      more: () => ask(() => (hasCursor ? this.#fetch(job) : this.#giveRows(job, all, false))),
      close: () => ask(() => this.#closeCursor(job, undefined)),
    });
  }

  #fetch(job: Job): void {
    const { statement } = job.answer!;
    const writer = this.#writer;
    writer.begin(0);
    writer.uint8(COM_STMT_FETCH);
    writer.uint32(statement!.id);
    writer.uint32(job.task!.cursor!.size);
    writer.end();
    const answer = (job.answer = new Answer(job.task, statement, this.#traits));
    ops.mysqlExpect(this.#channel!.link, answer.handle, answer.mode, EXPECT_ROWS);
    this.#flushLater();
  }

  #closeCursor(job: Job, error: unknown, isPrepared = true): void {
    if (isPrepared) this.#forget(job.answer!.statement!);
    this.#isBlocked = false;
    this.#finish(job, error);
  }

  #keep(statement: Statement): void {
    if (!this.#options.prepare) return;
    this.#statements.set(statement.text, statement);
    if (this.#statements.size <= MAX_STATEMENTS) return;
    const [oldest] = this.#statements.values();
    this.#statements.delete(oldest!.text);
    if (oldest!.error === undefined) this.#forget(oldest!);
  }

  /** The server answers nothing to this, and ends what was asked before. */
  #forget(statement: Statement): void {
    const writer = this.#writer;
    writer.begin(0);
    writer.uint8(COM_STMT_CLOSE);
    writer.uint32(statement.id);
    writer.end();
    this.#flushLater();
  }

  #startWaiting(): void {
    let count = 0;
    while (count < this.#waiting.length && !this.#isBlocked && this.#kills === 0) this.#start(this.#waiting[count++]!);
    if (count > 0) this.#waiting = count === this.#waiting.length ? [] : this.#waiting.slice(count);
  }

  // ---- answers

  #told(kind: number, first: unknown, second?: number | bigint, status?: number): void {
    if (kind === FAULT) {
      const { code, message } = first as RangeError & { code?: string };
      throw code === undefined ? first : new ProtocolError(code, message);
    }
    const job = this.#sent[this.#head];
    if (kind === PACKET) return this.#packet(job, first as Uint8Array);
    const answer = job!.answer!;
    switch (kind) {
      case DEFINITIONS:
        return this.#define(job!, bufferOf(first as Uint8Array));
      case ROWS:
        return answer.add(first as unknown[]);
      case END:
        if (answer.end(first as unknown[] | undefined, second as number)) this.#answered(job!);
        return;
      case DONE:
        if (answer.done(first as number | bigint, second!, status!)) this.#answered(job!);
    }
  }

  /** A packet that native code does not read. */
  #packet(job: Job | undefined, payload: Uint8Array): void {
    const reader = this.#reader;
    reader.load(bufferOf(payload));
    const answer = job?.answer;
    if (answer === undefined) this.#unasked();
    if (answer.isPreparing) {
      if (!answer.packet(reader)) return;
      ops.mysqlAnswered(this.#channel!.link);
    } else if (reader.bytes[0] === LOCAL_INFILE) {
      throw new ProtocolError("UNEXPECTED_PACKET", "The server asks for a file of this machine, which is refused");
    } else answer.fail(reader);
    this.#answered(job!);
  }

  /** The server has told columns that are not those of the last time: commands with the same statement that it answers later have them too. */
  #define(job: Job, definitions: Buffer): void {
    const { statement } = job.answer!;
    const columns = job.answer!.define(definitions);
    for (let at = this.#head; at < this.#sent.length; at++) {
      const { task, answer } = this.#sent[at]!;
      if (at > this.#head && (statement === undefined || answer?.statement !== statement)) continue;
      answer!.columns = columns;
      ops.mysqlDefine(this.#channel!.link, at - this.#head, columns.handleFor(task?.column)!);
    }
  }

  /** The answer to the first command that was sent is whole. */
  #answered(job: Job): void {
    const answer = job.answer!;
    if (answer.status !== undefined) this.#status = answer.status;
    const { error, statement } = answer;
    // Nobody else gets a connection that is about to close.
    if (error !== undefined && FATAL_ERRORS.has((error as { errno?: number }).errno ?? 0)) return this.#end(error);
    if (answer.isPreparing) return this.#prepared(job, statement!, error);
    if (job.task === undefined) {
      this.#shift();
      return this.#isSet(error);
    }
    if (job.task.cursor !== undefined) return this.#cursorAnswered(job, error);
    this.#finish(job, error);
  }

  #shift(): void {
    this.#sent[this.#head++] = undefined as never;
    if (this.#head === this.#sent.length) {
      this.#sent = [];
      this.#head = 0;
    } else if (this.#head === 1024) {
      this.#sent = this.#sent.slice(1024);
      this.#head = 0;
    }
  }

  /** The first task that was sent is answered. */
  #finish(job: Job, error: unknown): void {
    this.#shift();
    const isCursor = job.task!.cursor !== undefined;
    if (isCursor) this.#cursors--;
    if (this.#waiting.length > 0) this.#startWaiting();
    this.#idle();
    if (error !== undefined) job.task!.reject(error);
    else if (isCursor) job.task!.resolve(new SQLResultArray());
    else job.answer!.settle();
    const next = this.#sent[this.#head];
    if (next?.isCancelled) this.#kill(next);
  }

  /** A task that was not sent. */
  #reject(job: Job, error: unknown): void {
    const { task } = job;
    if (task!.cursor !== undefined) this.#cursors--;
    queueMicrotask(() => {
      this.#idle();
      task!.reject(error);
    });
  }

  #idle(): void {
    if (this.pending > 0) return;
    this.#lastRead = performance.now();
    if (this.#state === CLOSING) this.#goodbye();
    else if (this.#state === OPEN) {
      this.#hold();
      this.#events.idle(this);
    }
  }

  // ---- ends

  cancel(task: Task): void {
    const index = this.#sent.findIndex((job, at) => at >= this.#head && job.task === task);
    if (index < 0) {
      const job = this.#waiting.find((one) => one.task === task);
      if (job !== undefined) job.isCancelled = true;
      return;
    }
    const job = this.#sent[index]!;
    if (job.isCancelled) return;
    job.isCancelled = true;
    if (job.isSuspended) {
      job.isSuspended = false;
      return this.#closeCursor(job, cancelled());
    }
    if (index === this.#head) this.#kill(job);
  }

  /** The server ends the query that it runs: another connection has to say so. Nothing is sent before it has, which it could end instead. */
  #kill(job: Job): void {
    this.#kills++;
    killQuery(
      this.#options,
      this.#thread,
      () => this.#state !== CLOSED && this.#sent[this.#head] === job,
      () => {
        this.#kills--;
        if (this.#state === OPEN || this.#state === CLOSING) this.#startWaiting();
        this.#idle();
      },
    );
  }

  close(): void {
    if (this.#state === CLOSING || this.#state === CLOSED) return;
    if (this.#state !== OPEN) return this.#end(undefined);
    this.#state = CLOSING;
    if (this.pending === 0) this.#goodbye();
  }

  #goodbye(): void {
    if (this.#timer !== undefined) return;
    this.#writer.begin(0);
    this.#writer.uint8(COM_QUIT);
    this.#writer.end();
    this.#flush();
    this.#wire!.end();
    this.#timer = setTimeout(() => this.#end(undefined), MAX_GOODBYE);
  }

  destroy(error?: Error): void {
    if (this.#state !== CLOSED) this.#end(error);
  }

  #end(error: Error | undefined): void {
    if (this.#state === CLOSED) return;
    this.#state = CLOSED;
    clearTimeout(this.#timer);
    this.#channel?.detach();
    this.#wire?.destroy();
    const jobs = [...this.#sent.slice(this.#head), ...this.#waiting];
    this.#sent = [];
    this.#head = 0;
    this.#waiting = [];
    this.#statements.clear();
    this.#login = undefined;
    const reason = error ?? mysqlError("CONNECTION_CLOSED", "Connection closed");
    // An error of the server that tells why stands before the end of the connection.
    this.#events.closed(this, error);
    for (const { task } of jobs) task?.reject(reason);
  }

  // ---- the loop

  ref(): void {
    this.#isReffed = true;
    this.#hold();
  }

  unref(): void {
    this.#isReffed = false;
    this.#hold();
  }

  /** Keeps the process running; as long as an answer is awaited native code does. */
  #hold(): void {
    const isBusy = this.#setup > 0 || this.#cursors > 0 || this.#waiting.length > 0;
    const wanted = this.#isReffed || this.#state < OPEN || isBusy;
    if (wanted === this.#isHeld || this.#wire === undefined) return;
    this.#isHeld = wanted;
    if (this.#channel !== undefined) this.#channel.hold(wanted);
    else if (wanted) this.#wire.ref();
    else this.#wire.unref();
  }

  #flushLater(): void {
    if (this.#flushes) return;
    this.#flushes = true;
    queueMicrotask(this.#flush);
  }

  /** Writes what has been made. */
  #flush = (): void => {
    this.#flushes = false;
    const channel = this.#channel;
    if (channel !== undefined) return channel.write();
    const writer = this.#writer;
    if (writer.size === 0 || this.#state === CLOSED || this.#wire === undefined) return;
    this.#wire.write(writer.view());
    writer.leave();
  };
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  new FastBuffer(buffer, byteOffset, byteLength) as unknown as Buffer;

const cancelled = (): Error => mysqlError("QUERY_CANCELLED", "Query cancelled");

function overflow(): Error {
  return mysqlError(
    "OVERFLOW",
    "The statement and its values are longer than one packet of the protocol can be (16 MiB)",
  );
}
