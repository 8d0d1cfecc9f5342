/**
 * A connection to PostgreSQL: tasks are written as they come, each with its own Sync, and answered in their order
 * (https://www.postgresql.org/docs/current/protocol-flow.html).
 */

import type { Connection, ConnectionEvents, CopyServer, Options, Task } from "internal/sql/adapter";
import { errnoException } from "internal/core/errors";
import { FastBuffer } from "internal/buffer/base";
import { type StreamHandle, UV_EOF } from "internal/net/native";
import { nameRefused, type PostgresError } from "internal/sql/errors";
import { SQLResultArray } from "internal/sql/result";
import { postgresError, serverError } from "internal/sql/postgres/errors";
import * as Kind from "internal/sql/postgres/messages";
import { md5Password, Scram } from "internal/sql/postgres/scram";
import { bindingOf, openSocket, requestCancel, type Socket } from "internal/sql/postgres/socket";
import { Columns, FRESH, PARSED, PARSING, Prepared, readColumns } from "internal/sql/postgres/statement";
import { bytesOf, needsType, textOf, typeOf } from "internal/sql/postgres/values";
import { Writer } from "internal/sql/postgres/writer";

const ops = native("sql");

/** Version 3.0 of the protocol. */
const PROTOCOL = 196_608;
const MAX_PARAMETERS = 65_535;
const MAX_STATEMENTS = 1000;
/** Messages that come before the server knows who we are are small. */
const MAX_EARLY_MESSAGE = 1 << 16;
const MAX_MESSAGE = 1 << 30;

const CONNECTING = 0,
  STARTING = 1,
  OPEN = 2,
  CLOSED = 3;

/** Commands whose count is that of rows that changed. */
const CHANGES = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

/** Of a Close message: what is closed is a portal. */
const PORTAL = 80;

/** Milliseconds of silence after which a connection is asked whether it is alive. */
const QUIET = 5;

const nothing = (): void => {};

/** A task that was written. */
class Pending {
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

/** A COPY that reads what the client sends. */
const COPIES_IN = /^\s*copy\b[^;]*\bfrom\s+stdin\b/i;

/** "INSERT" of "INSERT 0 5". */
const commandOf = (bytes: Buffer, start: number, end: number): string =>
  bytes.latin1Slice(start, end).replace(/(?: \d+)? ?$/, "");

function hasTypes({ types }: Prepared, wanted: number[]): boolean {
  if (types.length !== wanted.length) return false;
  for (let i = 0; i < types.length; i++) if (types[i] !== wanted[i]) return false;
  return true;
}

export class PostgresConnection implements Connection {
  isInTransaction = false;
  #options: Options;
  #events: ConnectionEvents;
  #state = CONNECTING;
  #socket: Socket | undefined = undefined;
  #handleOfSocket: StreamHandle | undefined = undefined;
  /** The system has not taken all of what was written. */
  #isWriting = false;
  #abandon: () => void = nothing;
  #isSecure = false;
  #scram: Scram | undefined = undefined;
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
  /** Tasks of that kind that are not answered. */
  #exclusives = 0;
  /** By text; those of one text differ in the types of their parameters. */
  #statements = new Map<string, Prepared[]>();
  #statementCount = 0;
  /** Ends the wait of a COPY for the socket. */
  #whenDrained: (() => void) | undefined = undefined;
  #nextName = 0;
  /** When the last task was answered. */
  #lastRead = 0;
  #pid = 0;
  #secret: Buffer = Buffer.alloc(0);
  /** What came and is not a whole message. */
  #rest: Buffer[] = [];
  #restSize = 0;
  #wanted = 5;
  #isHeld = true;
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
    this.#isSecure = isSecure;
    this.#state = STARTING;
    this.#takeOver(socket);
    socket.on("error", (error: Error) => this.#lost(this.#farewell ?? this.#closedBy(error)));
    socket.on("close", () => this.#lost(this.#farewell ?? postgresError("CONNECTION_CLOSED", "Connection closed")));
    const { username, database, connection } = this.#options;
    const writer = this.#writer;
    writer.begin(0);
    writer.int32(PROTOCOL);
    const settings: Record<string, string> = { user: username, database, client_encoding: "UTF8", ...connection };
    for (const [name, value] of Object.entries(settings)) {
      writer.cstring(name);
      writer.cstring(value);
    }
    writer.byte(0);
    writer.end();
    this.#write();
  }

  /**
   * Reads and writes by the handle of the socket, without the streams above it: a chunk is parsed where it arrives, and nothing is queued
   * twice.
   */
  #takeOver(socket: Socket): void {
    const handle = socket._handle;
    if (!handle) throw postgresError("CONNECTION_CLOSED", "Connection closed");
    this.#handleOfSocket = handle;
    handle.onread = (bytes, errno) => {
      if (bytes === undefined) {
        const closed = postgresError("CONNECTION_CLOSED", "Connection closed");
        this.#lost(this.#farewell ?? (errno === UV_EOF ? closed : this.#closedBy(errnoException(errno, "read"))));
        return;
      }
      try {
        this.#read(new FastBuffer(bytes) as unknown as Buffer);
      } catch (error) {
        this.#lost(error instanceof RangeError ? postgresError("INVALID_MESSAGE", error.message) : (error as Error));
      }
    };
    if (!handle.reading) handle.readStart();
  }

  #closedBy(error: Error): Error {
    const closed = postgresError("CONNECTION_CLOSED", "Connection closed");
    Object.defineProperty(closed, "cause", { value: error, writable: true, configurable: true });
    return closed;
  }

  /** Writes what has been made, unless the system has not taken what came before. */
  #write(): void {
    if (this.#writer.size === 0 || this.#isWriting || this.#handleOfSocket === undefined) return;
    const result = this.#handleOfSocket.write(this.#writer.view(), false, this.#written);
    if (result < 0) {
      this.#writer.clear();
      const error = errnoException(result, "write");
      // What the server said last is still to be read.
      process.nextTick(() => this.#lost(this.#farewell ?? this.#closedBy(error)));
    } else if (result === 0) this.#writer.clear();
    else {
      // The system reads the buffer until it says so.
      this.#writer.leave();
      this.#isWriting = true;
    }
  }

  #written = (errno: number): void => {
    this.#isWriting = false;
    if (this.#state === CLOSED) return;
    if (errno < 0) {
      this.#lost(this.#farewell ?? this.#closedBy(errnoException(errno, "write")));
      return;
    }
    this.#write();
    if (this.#isWriting) return;
    this.#whenDrained?.();
    this.#whenDrained = undefined;
  };

  #sendPassword(text: string): void {
    this.#writer.begin(Kind.PASSWORD);
    this.#writer.cstring(text);
    this.#writer.end();
    this.#write();
  }

  async #password(): Promise<string> {
    const { password } = this.#options;
    const value = typeof password === "function" ? await password() : password;
    if (typeof value !== "string") throw postgresError("INVALID_PASSWORD", "The password must be a string");
    return value;
  }

  /** What the server asks of us to know who we are. */
  async #authenticate(body: Buffer): Promise<void> {
    const kind = body.readInt32BE(0);
    switch (kind) {
      case 0:
        if (this.#options.channelBinding === "require" && this.#scram?.mechanism !== "SCRAM-SHA-256-PLUS") {
          throw postgresError("CHANNEL_BINDING_REQUIRED", "The server did not authenticate with channel binding");
        }
        return;
      case 3:
        return this.#sendPassword(await this.#password());
      case 5:
        return this.#sendPassword(md5Password(this.#options.username, await this.#password(), body.subarray(4, 8)));
      case 10:
        return this.#startScram(body.latin1Slice(4).split("\0"));
      case 11: {
        if (this.#scram === undefined)
          throw postgresError("UNEXPECTED_MESSAGE", "The server continues what has not begun");
        const text = await this.#scram.final(body.utf8Slice(4), await this.#password());
        this.#writer.begin(Kind.PASSWORD);
        this.#writer.text(text);
        this.#writer.end();
        return this.#write();
      }
      case 12:
        this.#scram?.verify(body.utf8Slice(4));
        return;
      default:
        throw postgresError("UNKNOWN_AUTHENTICATION_METHOD", `Unknown authentication method ${kind}`);
    }
  }

  #startScram(mechanisms: string[]): void {
    const { channelBinding } = this.#options;
    const canBind = this.#isSecure && channelBinding !== "disable";
    const binding = canBind && mechanisms.includes("SCRAM-SHA-256-PLUS") ? bindingOf(this.#socket!) : undefined;
    if (binding === undefined && channelBinding === "require") {
      throw postgresError("CHANNEL_BINDING_REQUIRED", "The server does not offer channel binding");
    }
    if (binding === undefined && !mechanisms.includes("SCRAM-SHA-256")) {
      throw postgresError("UNSUPPORTED_AUTHENTICATION_METHOD", "The server offers no authentication that is known");
    }
    // Without a TLS connection, or if binding is off, nothing is said of it.
    const scram = new Scram(binding, canBind && !mechanisms.includes("SCRAM-SHA-256-PLUS"));
    this.#scram = scram;
    const writer = this.#writer;
    writer.begin(Kind.PASSWORD);
    writer.cstring(scram.mechanism);
    writer.sized(scram.first);
    writer.end();
    this.#write();
  }

  // ---- tasks

  run(task: Task): void {
    if (this.#state === CLOSED || this.#isClosing) {
      task.reject(postgresError("CONNECTION_CLOSED", "Connection closed"));
      return;
    }
    if (task.copy !== undefined || task.cursor !== undefined) this.#exclusives++;
    this.#queue.push(task);
    this.#hold();
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
    const prepared = this.#prepared(text, types);
    // The server has not said whether it takes this statement.
    if (prepared.state === PARSING) return false;
    if (prepared.state === FRESH) {
      // Values that are missing are the server's to complain about.
      this.#parse(prepared);
      if (isOpen) {
        this.#message(Kind.FLUSH);
        this.#describing = this.#add(task, prepared, Columns.none, true, isRetried);
        return true;
      }
    }
    const columns = prepared.columns?.asked ?? Columns.none;
    this.#bind(prepared, values, columns.formats, task.cursor?.size);
    this.#bound(this.#add(task, prepared, columns, false, isRetried));
    return true;
  }

  /** Behind a cursor comes no Sync, which would close it: the server waits for what follows its first rows. */
  #bound(pending: Pending): void {
    if (pending.task.cursor === undefined) return this.#message(Kind.SYNC);
    this.#message(Kind.FLUSH);
    this.#exclusive = pending;
  }

  #prepared(text: string, types: number[]): Prepared {
    if (!this.#options.prepare) return new Prepared("", text, types);
    let same = this.#statements.get(text);
    if (same === undefined) this.#statements.set(text, (same = []));
    for (const known of same) if (hasTypes(known, types)) return known;
    const prepared = new Prepared(`b${this.#nextName++}`, text, types);
    if (++this.#statementCount > MAX_STATEMENTS) this.#forgetOldest();
    same.push(prepared);
    return prepared;
  }

  /** The server forgets the statement that was made first, unless it is being made. */
  #forgetOldest(): void {
    for (const [, same] of this.#statements) {
      const old = same.find(({ state }) => state === PARSED);
      if (old === undefined) continue;
      this.#remove(old);
      this.#writer.begin(Kind.CLOSE);
      this.#writer.byte(Kind.SYNC);
      this.#writer.cstring(old.name);
      this.#writer.end();
      return;
    }
  }

  #remove(prepared: Prepared): void {
    const same = this.#statements.get(prepared.text);
    const at = same?.indexOf(prepared) ?? -1;
    if (same === undefined || at < 0) return;
    same.splice(at, 1);
    this.#statementCount--;
    if (same.length === 0) this.#statements.delete(prepared.text);
  }

  #forget(prepared: Prepared): void {
    prepared.state = FRESH;
    this.#remove(prepared);
  }

  #message(kind: number): void {
    this.#writer.begin(kind);
    this.#writer.end();
  }

  #parse(prepared: Prepared): void {
    const writer = this.#writer;
    prepared.state = PARSING;
    writer.begin(Kind.PARSE);
    writer.cstring(prepared.name);
    writer.cstring(prepared.text);
    writer.int16(prepared.types.length);
    for (const type of prepared.types) writer.int32(type);
    writer.end();
    writer.begin(Kind.DESCRIBE);
    writer.byte(Kind.SYNC);
    writer.cstring(prepared.name);
    writer.end();
  }

  /** `formats` are those of the columns; without them all are text. `limit` is that of the first rows of a cursor. */
  #bind(prepared: Prepared, values: readonly unknown[], formats: readonly number[], limit = 0): void {
    const writer = this.#writer;
    writer.begin(Kind.BIND);
    writer.byte(0);
    writer.cstring(prepared.name);
    // Formats: bytes are binary, everything else is text.
    let hasBytes = false;
    for (const value of values) hasBytes ||= bytesOf(value) !== undefined;
    if (hasBytes) {
      writer.int16(values.length);
      for (const value of values) writer.int16(bytesOf(value) === undefined ? 0 : 1);
    } else writer.int16(0);
    writer.int16(values.length);
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (value === null || value === undefined) {
        writer.int32(-1);
        continue;
      }
      const bytes = bytesOf(value);
      if (bytes !== undefined) {
        writer.int32(bytes.length);
        writer.bytes(bytes);
      } else writer.sized(textOf(value, prepared.parameters?.[i] ?? 0));
    }
    writer.int16(formats.length);
    for (const format of formats) writer.int16(format);
    writer.end();
    this.#execute(limit);
  }

  #execute(limit: number): void {
    this.#writer.begin(Kind.EXECUTE);
    this.#writer.byte(0);
    this.#writer.int32(limit);
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
      this.#bind(pending.prepared!, pending.task.values, asked.formats, pending.task.cursor?.size);
      pending.columns = asked;
      pending.isDescribing = false;
      this.#bound(pending);
    } catch (error) {
      writer.truncate(size);
      pending.error = error as Error;
      this.#message(Kind.SYNC);
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
    // The server ends what runs: that is the first.
    if (this.#sent[this.#sentHead]?.task === task) requestCancel(this.#options, this.#pid, this.#secret);
  }

  // ---- messages of the server

  #read(chunk: Buffer): void {
    if (this.#restSize > 0) {
      this.#rest.push(chunk);
      this.#restSize += chunk.length;
      if (this.#restSize < this.#wanted) return;
      chunk = Buffer.concat(this.#rest, this.#restSize);
      this.#rest = [];
      this.#restSize = 0;
    }
    let at = 0;
    const { length } = chunk;
    while (length - at >= 5) {
      const kind = chunk[at]!;
      const size = (chunk[at + 1]! << 24) | (chunk[at + 2]! << 16) | (chunk[at + 3]! << 8) | chunk[at + 4]!;
      if (size < 4 || size > (this.#state === OPEN ? MAX_MESSAGE : MAX_EARLY_MESSAGE)) {
        throw postgresError("INVALID_MESSAGE_LENGTH", "The server sends a message of an impossible length");
      }
      if (length - at < size + 1) {
        this.#keep(chunk, at, size + 1);
        return;
      }
      const end = at + 1 + size;
      if (kind === Kind.DATA_ROW) {
        at = this.#rows(chunk, at, end);
        continue;
      }
      this.#handle(kind, chunk, at + 5, end);
      if (this.#state === CLOSED) return;
      at = end;
    }
    if (at < length) this.#keep(chunk, at, 5);
  }

  #keep(chunk: Buffer, at: number, wanted: number): void {
    const rest = at === 0 ? chunk : chunk.subarray(at);
    this.#rest = [rest];
    this.#restSize = rest.length;
    this.#wanted = wanted;
  }

  get #current(): Pending {
    const pending = this.#sent[this.#sentHead];
    if (pending === undefined) throw postgresError("UNEXPECTED_MESSAGE", "The server answers what was not asked");
    return pending;
  }

  /** Reads the rows at `at`, of which the first ends at `end`; gives the place behind them. */
  #rows(bytes: Buffer, at: number, end: number): number {
    const pending = this.#current;
    // After a row that could not be read the others are of no use.
    if (pending.error !== undefined) return end;
    const { columns, result, task } = pending;
    try {
      return columns.read(result, bytes, at, task.mode, task.column);
    } catch (error) {
      pending.error =
        error instanceof RangeError ? postgresError("INVALID_BINARY_DATA", error.message) : (error as Error);
      return end;
    }
  }

  /** A message whose body is between two places. */
  #handle(kind: number, bytes: Buffer, start: number, end: number): void {
    switch (kind) {
      case Kind.PARSE_COMPLETE: {
        const pending = this.#current;
        pending.isBegun = true;
        if (pending.prepared !== undefined) pending.prepared.state = PARSED;
        // Others may wait for this one.
        if (this.#queueHead < this.#queue.length) this.#schedule();
        return;
      }
      case Kind.BIND_COMPLETE:
        this.#current.isBegun = true;
        return;
      case Kind.CLOSE_COMPLETE:
      case Kind.NOTICE:
      case Kind.PARAMETER:
      case Kind.COPY_DONE:
      case Kind.NEGOTIATE:
        return;
      case Kind.COMMAND_COMPLETE:
        return this.#complete(this.#current, bytes, start, end - 1);
      case Kind.EMPTY_QUERY:
        return this.#complete(this.#current, bytes, start, start);
      case Kind.READY:
        return this.#ready(bytes[start]!);
      default:
        this.#handleRare(kind, bytes.subarray(start, end));
    }
  }

  #handleRare(kind: number, body: Buffer): void {
    switch (kind) {
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
        this.#authenticate(Buffer.from(body)).catch((error: Error) => this.#lost(error));
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
        if (error === undefined && task.copy?.direction === "out") task.copy.data(new Uint8Array(body));
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
    this.#failCopy("COPY needs a stream");
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
        this.#execute(cursor.size);
        this.#message(Kind.FLUSH);
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
    this.#writer.begin(Kind.CLOSE);
    this.#writer.byte(PORTAL);
    this.#writer.cstring("");
    this.#writer.end();
    this.#sync(pending);
    this.#write();
  }

  /** Sends the Sync that a query still needs. A second one would be answered in the place of the next query. */
  #sync(pending: Pending): void {
    if (pending.isSynced) return;
    pending.isSynced = true;
    this.#message(Kind.SYNC);
  }

  #describe({ task, prepared, columns }: Pending, result: SQLResultArray): void {
    result.setOrigin(task.text, prepared?.parameters ?? [], columns.list);
  }

  #failCopy(reason: string): void {
    this.#writer.begin(Kind.COPY_FAIL);
    this.#writer.cstring(reason.replaceAll("\0", ""));
    this.#writer.end();
  }

  #copyServer(pending: Pending): CopyServer {
    const isUnderWay = (): boolean => this.#exclusive === pending && this.#state === OPEN;
    return {
      write: (chunk) => {
        if (!isUnderWay()) return undefined;
        this.#writer.begin(Kind.COPY_DATA);
        this.#writer.bytes(chunk);
        this.#writer.end();
        this.#write();
        if (!this.#isWriting) return undefined;
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#whenDrained = resolve;
        return promise;
      },
      end: () => {
        if (!isUnderWay()) return;
        this.#message(Kind.COPY_DONE);
        this.#write();
      },
      fail: (reason) => {
        if (!isUnderWay()) return;
        this.#failCopy(reason);
        this.#write();
      },
      pause: () => this.#handleOfSocket?.readStop(),
      resume: () => this.#handleOfSocket?.readStart(),
    };
  }

  /** The server has run a statement; the text between two places says which and how many rows it was. */
  #complete(pending: Pending, bytes: Buffer, start: number, end: number): void {
    const { result } = pending;
    // The number at the end.
    let count = 0;
    let last = end;
    for (let unit = 1; last > start && bytes[last - 1]! >= 48 && bytes[last - 1]! <= 57; unit *= 10) {
      count += (bytes[--last]! - 48) * unit;
    }
    const command =
      last - start === 7 && bytes[start] === 83 && bytes[start + 2] === 76 ? "SELECT" : commandOf(bytes, start, last);
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
    const { prepared } = pending;
    if (prepared !== undefined) {
      const isStale = error.errno === "0A000" && error.routine === "RevalidateCachedQuery";
      const isUnknown = error.errno === "26000" && prepared.state === PARSED;
      if (prepared.state === PARSING || isStale || isUnknown) {
        this.#forget(prepared);
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
      this.#message(Kind.SYNC);
      this.#write();
      this.#schedule();
    }
  }

  #ready(status: number): void {
    this.isInTransaction = status !== 73;
    if (this.#state === STARTING) {
      this.#state = OPEN;
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
    const { task, error, result, results, isRetried } = pending;
    if (error !== undefined && isRetried && pending.prepared?.state === FRESH && this.#describing === undefined) {
      // Once more, with a statement that is made anew.
      try {
        if (this.#send(task, true)) {
          this.#write();
          return;
        }
      } catch {
        // The error that came first says more.
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
    this.#hold();
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
    this.#message(Kind.TERMINATE);
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
      if (this.#handleOfSocket !== undefined) this.#handleOfSocket.onread = nothing;
      this.#handleOfSocket = undefined;
      // Politely: what was written goes out before.
      if (wasOpen && this.#isClosing) socket.end(() => socket.destroy());
      else socket.destroy();
      socket.unref();
    }
    this.#exclusive = undefined;
    this.#whenDrained?.();
    // A server that says that it ends has not begun with what it has not answered at all. Without a word nobody knows.
    const isTold = error !== undefined && error === this.#farewell;
    const tasks = this.#sent
      .slice(this.#sentHead)
      .map(({ task, isBegun }) => ({ task, isUntouched: isTold && !isBegun }));
    for (const task of this.#queue.slice(this.#queueHead)) tasks.push({ task, isUntouched: true });
    this.#sent = [];
    this.#queue = [];
    this.#sentHead = this.#queueHead = 0;
    this.#rest = [];
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

  /** Keeps the process running as long as something is awaited. */
  #hold(): void {
    const wanted = this.#isRefed || this.#state !== OPEN || this.pending > 0;
    if (wanted === this.#isHeld) return;
    this.#isHeld = wanted;
    const holder = this.#handleOfSocket ?? this.#socket;
    if (wanted) holder?.ref();
    else holder?.unref();
  }
}

const copyError = (): Error =>
  postgresError(
    "COPY_NOT_SUPPORTED",
    "COPY ... FROM STDIN needs query.writable() and COPY ... TO STDOUT needs query.readable()",
  );
