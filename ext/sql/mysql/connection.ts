/** A connection to a server: greeting, TLS, authentication; then commands, answered in their order. */

import {
  type Connection,
  type ConnectionEvents,
  type Options,
  type Task,
  TLS_DISABLE,
  TLS_PREFER,
} from "internal/sql/adapter";
import { type Circumstances, type Exchange, exchangeOf, isKnown } from "internal/sql/mysql/auth";
import { nameRefused } from "internal/sql/errors";
import { valueOf, writeParameters } from "internal/sql/mysql/encode";
import { mysqlError, ProtocolError } from "internal/sql/mysql/error";
import {
  agree,
  type Agreement,
  type Greeting,
  readError,
  readGreeting,
  readSwitch,
  writeAnswer,
  writeTlsRequest,
} from "internal/sql/mysql/handshake";
import { Answer, type Traits } from "internal/sql/mysql/answer";
import { killQuery } from "internal/sql/mysql/kill";
import { MAX_MESSAGE, Reader, Writer } from "internal/sql/mysql/packets";
import {
  CLIENT_DEPRECATE_EOF,
  CLIENT_SSL,
  COM_QUERY,
  COM_QUIT,
  COM_STMT_CLOSE,
  COM_STMT_EXECUTE,
  COM_STMT_FETCH,
  COM_STMT_PREPARE,
  CURSOR_TYPE_NONE,
  CURSOR_TYPE_READ_ONLY,
  EOF,
  ER_PARSE_ERROR,
  ERR,
  FATAL_ERRORS,
  MARIADB_CACHE_METADATA,
  MARIADB_EXTENDED_METADATA,
  OK,
  STATUS_IN_TRANSACTION,
} from "internal/sql/mysql/protocol";
import { SQLResultArray } from "internal/sql/result";
import { settingsOf } from "internal/sql/mysql/settings";
import { Statement } from "internal/sql/mysql/statement";
import { Wire } from "internal/sql/mysql/wire";

/** Most statements that a connection keeps: servers count those of all connections together, 16,382 by default. */
const MAX_STATEMENTS = 250;
/** Milliseconds in which the peer closes after a polite end. */
const MAX_GOODBYE = 2000;
/** Packets of an authentication, beyond which a server only keeps the client busy. */
const MAX_AUTH_PACKETS = 16;

/** Milliseconds after a sign of life in which the kernel is not asked for another. */
const QUIET = 500;

const GREETING = 0,
  SECURING = 1,
  AUTHENTICATION = 2,
  OPEN = 3,
  /** No more tasks come; those that were run are answered first. */
  CLOSING = 4,
  CLOSED = 5;

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
  #reader = new Reader();
  #writer = new Writer();
  #state = GREETING;
  #password = "";
  #greeting: Greeting | undefined = undefined;
  #agreement: Agreement = { capabilities: 0, extended: 0 };
  /** What the agreement says of answers. */
  #traits: Traits = { hasEof: true, isExtended: false, isCached: false, bigint: false };
  #exchange: Exchange | undefined = undefined;
  #authPackets = 0;
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
      this.#password = given === undefined || given === null ? "" : String(given);
      if (this.#state === CLOSED) return;
      this.#wire = new Wire(this.#options, {
        opened: () => {},
        data: (chunk) => this.#data(chunk),
        lost: (error) => this.#lost(error),
      });
    } catch (error) {
      this.#end(error as Error);
    }
  }

  #lost(error: Error | undefined): void {
    const { path } = this.#options;
    if (this.#state === CLOSING && this.pending === 0) return this.#end(undefined);
    if (this.#state >= OPEN) return this.#end(mysqlError("CONNECTION_CLOSED", "Connection closed"));
    if (this.#state === SECURING && error !== undefined) return this.#end(error);
    if (error === undefined || this.#greeting !== undefined) {
      return this.#end(mysqlError("CONNECTION_FAILED", "Connection closed before the connection was established"));
    }
    const text = path === undefined ? "Failed to connect" : `Failed to connect to ${path}`;
    const refused = mysqlError("CONNECTION_REFUSED", text);
    Object.defineProperty(refused, "cause", { value: error, configurable: true, writable: true });
    this.#end(refused);
  }

  #data(chunk: Buffer): void {
    this.#lastRead = performance.now();
    const reader = this.#reader;
    try {
      if (!reader.feed(chunk)) return;
      while (this.#state !== CLOSED && reader.next()) {
        if (this.#state >= OPEN) this.#packet();
        else this.#early();
      }
    } catch (error) {
      this.#broken(error);
    }
  }

  /** The server says what it must not, or refuses. */
  #broken(error: unknown): void {
    if (error instanceof ProtocolError) this.#end(mysqlError(error.kind, error.message));
    else this.#end(error as Error);
  }

  /** A packet before the connection is open. */
  #early(): void {
    if (this.#state === GREETING) return this.#greet();
    if (this.#state === SECURING) throw new ProtocolError("UNEXPECTED_PACKET", "The server speaks before TLS does");
    this.#authenticate();
  }

  #greet(): void {
    const { sslMode, database, foundRows } = this.#options;
    const greeting = readGreeting(this.#reader);
    this.#greeting = greeting;
    const hasTls = (greeting.capabilities & CLIENT_SSL) !== 0;
    if (sslMode > TLS_PREFER && !hasTls) {
      throw mysqlError("AUTHENTICATION_FAILED", "The server does not support TLS, which the options require");
    }
    const isTls = sslMode !== TLS_DISABLE && hasTls;
    this.#agreement = agree(greeting, isTls, database !== "", foundRows);
    if (!isTls) {
      this.#state = AUTHENTICATION;
      return this.#answer(1);
    }
    // Somebody between could have put it there.
    if (this.#reader.hasRest) throw new ProtocolError("UNEXPECTED_PACKET", "The server speaks before TLS does");
    this.#state = SECURING;
    writeTlsRequest(this.#writer, this.#agreement, 1);
    this.#flush();
    this.#wire!.secure(this.#options, () => {
      try {
        this.#state = AUTHENTICATION;
        this.#answer(2);
      } catch (error) {
        this.#broken(error);
      }
    });
  }

  #circumstances(): Circumstances {
    const { path, allowPublicKeyRetrieval } = this.#options;
    const { isTls } = this.#wire!;
    return { password: this.#password, isTls, isSecret: isTls || path !== undefined, allowPublicKeyRetrieval };
  }

  #answer(sequence: number): void {
    const { username, database } = this.#options;
    const greeting = this.#greeting!;
    // The server switches to the user's own plugin; what it names is only its usual one.
    const plugin =
      isKnown(greeting.plugin) && greeting.plugin !== "mysql_clear_password"
        ? greeting.plugin
        : "mysql_native_password";
    this.#exchange = exchangeOf(plugin, this.#circumstances(), greeting.data);
    const login = { username, database, plugin, proof: this.#exchange.first() };
    writeAnswer(this.#writer, this.#agreement, login, sequence);
    this.#flush();
  }

  #authenticate(): void {
    const reader = this.#reader;
    if (++this.#authPackets > MAX_AUTH_PACKETS)
      throw new ProtocolError("UNEXPECTED_PACKET", "The server never ends to authenticate");
    const { sequence } = reader;
    switch (reader.uint8()) {
      case OK:
        this.#status = Answer.readOk(reader).status;
        return this.#opened();
      case ERR: {
        const refused = readError(reader);
        nameRefused(refused, this.#options);
        throw refused;
      }
      case EOF: {
        const { plugin, data } = readSwitch(reader);
        this.#exchange = exchangeOf(plugin, this.#circumstances(), data);
        return this.#prove(this.#exchange.first(), sequence + 1);
      }
      case 1: {
        const proof = this.#exchange!.more(reader.rest());
        if (proof !== undefined) this.#prove(proof, sequence + 1);
        return;
      }
      default:
        throw new ProtocolError("UNEXPECTED_PACKET", "The server answers the authentication with something else");
    }
  }

  #prove(proof: Uint8Array, sequence: number): void {
    this.#writer.begin(sequence & 0xff);
    this.#writer.raw(proof);
    this.#writer.end();
    this.#flush();
  }

  /** Dates come in UTC, and the settings of the options hold; then the connection is ready. */
  #opened(): void {
    this.#state = OPEN;
    this.#password = "";
    this.#exchange = undefined;
    this.#reader.limit = MAX_MESSAGE;
    this.#wire!.goDirect();
    const { capabilities, extended } = this.#agreement;
    this.#traits = {
      hasEof: (capabilities & CLIENT_DEPRECATE_EOF) === 0,
      isExtended: (extended & MARIADB_EXTENDED_METADATA) !== 0,
      isCached: (extended & MARIADB_CACHE_METADATA) !== 0,
      bigint: this.#options.bigint,
    };
    const settings = settingsOf(this.#options.connection);
    this.#setup = settings.length;
    for (const text of settings) this.#send({ task: undefined, answer: undefined, isCancelled: false }, text);
    this.#flush();
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
    job.answer = new Answer(job.task, undefined, this.#traits);
    this.#sent.push(job);
    this.#flushLater();
  }

  #prepare(job: Job, statement: Statement): void {
    const writer = this.#writer;
    writer.begin(0);
    writer.uint8(COM_STMT_PREPARE);
    writer.text(statement.text);
    if (!writer.end()) throw overflow();
    job.answer = new Answer(job.task, statement, this.#traits);
    job.answer.expectPrepared();
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
    const writer = this.#writer;
    writer.begin(0);
    writer.uint8(COM_STMT_EXECUTE);
    writer.uint32(statement.id);
    writer.uint8(job.task!.cursor === undefined ? CURSOR_TYPE_NONE : CURSOR_TYPE_READ_ONLY);
    writer.uint32(1);
    if (own.length > 0) writeParameters(writer, own);
    if (!writer.end()) throw overflow();
    if (job.answer === undefined) {
      job.answer = new Answer(job.task, statement, this.#traits);
      this.#sent.push(job);
    }
    job.answer.expectResult();
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
    job.answer = new Answer(job.task, statement, this.#traits);
    job.answer.expectRows();
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

  #packet(): void {
    const reader = this.#reader;
    const job = this.#sent[this.#head];
    if (job === undefined) {
      // The server says why it ends the connection.
      if (reader.bytes[reader.at] === ERR && reader.end > reader.at) {
        reader.uint8();
        throw readError(reader);
      }
      throw new ProtocolError("UNEXPECTED_PACKET", "The server answers what was not asked");
    }
    const answer = job.answer!;
    if (!answer.packet(reader)) return;
    if (answer.status !== undefined) this.#status = answer.status;
    const { error, statement } = answer;
    // Nobody else gets a connection that is about to close.
    if (error !== undefined && FATAL_ERRORS.has((error as { errno?: number }).errno ?? 0)) return this.#end(error);
    if (answer.isPrepared) return this.#prepared(job, statement!, error);
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
      this.#greeting!.thread,
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
    this.#wire?.destroy();
    const jobs = [...this.#sent.slice(this.#head), ...this.#waiting];
    this.#sent = [];
    this.#head = 0;
    this.#waiting = [];
    this.#statements.clear();
    this.#password = "";
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

  #hold(): void {
    const wanted = this.#isReffed || this.#state < OPEN || this.#setup > 0 || this.pending > 0;
    if (wanted === this.#isHeld || this.#wire === undefined) return;
    this.#isHeld = wanted;
    if (wanted) this.#wire.ref();
    else this.#wire.unref();
  }

  #flushLater(): void {
    if (this.#flushes) return;
    this.#flushes = true;
    queueMicrotask(this.#flush);
  }

  #flush = (): void => {
    this.#flushes = false;
    const writer = this.#writer;
    if (writer.length === 0 || this.#state === CLOSED || this.#wire === undefined) return;
    if (this.#wire.write(writer.view())) writer.clear();
    else writer.leave();
  };
}

const cancelled = (): Error => mysqlError("QUERY_CANCELLED", "Query cancelled");

function overflow(): Error {
  return mysqlError(
    "OVERFLOW",
    "The statement and its values are longer than one packet of the protocol can be (16 MiB)",
  );
}
