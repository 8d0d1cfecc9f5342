/**
 * The connections of a client: tasks and requests for a connection of one's own wait in one line, in their order. A connection that is
 * lost leaves the pool at once, and nobody gets one that is within a transaction of somebody else.
 */

import { captureContext, runInContext } from "internal/events/async_context";

import type { Adapter, Connection, ConnectionEvents } from "internal/sql/adapter";
import type { ClientOptions } from "internal/sql/options";
import type { QueryTask } from "internal/sql/query";

/** Tasks that are sent over one connection before the first is answered; others wait, and take the first connection that is free. */
const MAX_PIPELINED = 64;

/** Connections from which on memory is made ready for what they get at the same time. */
const MANY = 16;

/** How often a task is run again whose connection was lost before the server began with it. */
const MAX_RETRIES = 3;

const CONNECTING = 0,
  READY = 1,
  GONE = 2,
  /** It ends, and nobody gets it. */
  RETIRED = 3;

/** A place of the pool. */
export interface Slot {
  connection: Connection;
  state: number;
  /** Whose it is; undefined if it is for all. */
  owner: Owner | undefined;
  timer: ReturnType<typeof setTimeout> | undefined;
  idle: ReturnType<typeof setTimeout> | undefined;
  lifetime: ReturnType<typeof setTimeout> | undefined;
  /** It is older than it may be, and ends when nobody uses it. */
  isOld: boolean;
  /** It stands in the pool's list of connections that may be free. */
  isListed: boolean;
}

/** Who has a connection of their own. */
interface Owner {
  /** The connection is gone. */
  lost(error: Error): void;
}

interface Request {
  owner: Owner;
  resolve: (slot: Slot) => void;
  reject: (error: unknown) => void;
}

type Entry = QueryTask | Request;

const isRequest = (entry: Entry): entry is Request => "owner" in entry;
const nothing = (): void => {};

/** "4s", "200ms". */
const shown = (time: number): string => (time % 1000 === 0 ? `${time / 1000}s` : `${time}ms`);

export class Pool {
  readonly options: ClientOptions;
  readonly adapter: Adapter;
  #slots: Slot[] = [];
  /**
   * Connections that were free when they were put here, the last used at the end. Most tasks find theirs here, however many connections
   * are at work; one that has been taken by another way since is left out then.
   */
  #free: Slot[] = [];
  #line: Entry[] = [];
  #head = 0;
  /** The async context that the client was made in. */
  readonly #context = captureContext();
  #connecting = 0;
  /** No connection may be begun. */
  #isHeld = false;
  #isClosed = false;
  #closing: PromiseWithResolvers<undefined> | undefined = undefined;
  #closeTimer: ReturnType<typeof setTimeout> | undefined = undefined;

  constructor(options: ClientOptions, adapter: Adapter) {
    this.options = options;
    this.adapter = adapter;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  closedError(): Error {
    return this.adapter.error("CONNECTION_CLOSED", "Connection closed");
  }

  // ---- the line

  run(task: QueryTask): void {
    if (this.#isClosed) {
      task.reject(this.closedError());
      return;
    }
    task.again = this.#again;
    // The usual case: nobody waits, and a connection is free.
    if (this.#head === this.#line.length) {
      let slot: Slot | undefined;
      while ((slot = this.#free.pop()) !== undefined) {
        slot.isListed = false;
        if (slot.state !== READY || slot.owner !== undefined || slot.isOld || slot.connection.pending > 0) continue;
        if (!this.#isAlive(slot)) continue;
        slot.connection.run(task);
        return;
      }
    }
    const [first] = this.#slots;
    if (first?.connection.isShared && first.state === READY) {
      first.connection.run(task);
      return;
    }
    this.#line.push(task);
    this.#dispatch();
  }

  /** Puts a task that no server has begun with at the head of the line. */
  #again = (task: QueryTask): boolean => {
    if (this.#isClosed || task.retries++ >= MAX_RETRIES) return false;
    this.#line.splice(this.#head, 0, task);
    queueMicrotask(() => this.#dispatch());
    return true;
  };

  /** Opens a connection that is there at once: a database without a server. */
  openNow(): void {
    this.#open();
    const slot = this.#slots[0]!;
    const { opened } = slot.connection;
    if (opened === true) this.#ready(slot);
    else this.#gone(slot, opened);
  }

  /** A connection for one owner, until `release`. */
  reserve(owner: Owner): Promise<Slot> {
    if (this.#isClosed) return Promise.reject(this.closedError());
    const { promise, resolve, reject } = Promise.withResolvers<Slot>();
    this.#line.push({ owner, resolve, reject });
    this.#dispatch();
    return promise;
  }

  /** Takes a task out of the line, or asks the server to end it. */
  cancel(task: QueryTask): void {
    const at = this.#line.indexOf(task, this.#head);
    if (at >= 0) {
      this.#line.splice(at, 1);
      task.reject(this.adapter.error("QUERY_CANCELLED", "Query cancelled"));
      return;
    }
    for (const { connection, state } of this.#slots) if (state === READY) connection.cancel(task);
  }

  /** Whether an idle connection can be used; one that the server has ended goes, before the loop has seen its end. */
  #isAlive(slot: Slot): boolean {
    const { connection } = slot;
    if (connection.isAlive === undefined || connection.isAlive()) return true;
    slot.state = RETIRED;
    connection.destroy(this.closedError());
    return false;
  }

  #dispatch(): void {
    while (this.#head < this.#line.length) {
      const entry = this.#line[this.#head]!;
      const slot = this.#find(isRequest(entry));
      if (slot === undefined) return;
      this.#shift();
      if (isRequest(entry)) {
        slot.owner = entry.owner;
        entry.resolve(slot);
      } else slot.connection.run(entry);
    }
  }

  #shift(): void {
    this.#head++;
    if (this.#head === this.#line.length) {
      this.#line = [];
      this.#head = 0;
    } else if (this.#head === 1024) {
      this.#line = this.#line.slice(1024);
      this.#head = 0;
    }
  }

  /** A connection for the first of the line. If there is none, one may have been begun. */
  #find(isExclusive: boolean): Slot | undefined {
    let least: Slot | undefined;
    let pending = MAX_PIPELINED;
    for (const slot of this.#slots) {
      if (slot.state !== READY || slot.owner !== undefined || slot.isOld) continue;
      const { connection } = slot;
      if (connection.pending === 0) {
        if (this.#isAlive(slot)) return slot;
        continue;
      }
      if (connection.canPipeline && connection.pending < pending) {
        least = slot;
        ({ pending } = connection);
      }
    }
    const waiting = this.#line.length - this.#head;
    if (!this.#isHeld && this.#slots.length < this.options.max && this.#connecting < waiting) this.#open();
    // One of those that connect is for this one.
    if (this.#connecting >= waiting) return undefined;
    return isExclusive ? undefined : least;
  }

  // ---- connections

  /** A connection is the client's, whoever's query it is opened for. */
  #open(): void {
    runInContext(this.#context, this.#openHere, this, []);
  }

  #openHere(): void {
    const { options } = this;
    const events: ConnectionEvents = {
      ready: () => this.#ready(slot),
      idle: () => this.#idle(slot),
      closed: (_, error) => this.#gone(slot, error),
    };
    this.#connecting++;
    const slot: Slot = {
      connection: undefined as never,
      ...{ state: CONNECTING, owner: undefined, timer: undefined, idle: undefined, lifetime: undefined, isOld: false },
      isListed: false,
    };
    this.#slots.push(slot);
    if (this.#slots.length === MANY) native("sql").expectMany();
    slot.connection = this.adapter.connect(options, events);
    const { connectionTimeout } = options;
    if (connectionTimeout > 0) {
      slot.timer = setTimeout(() => {
        const text = `Connection timeout after ${shown(connectionTimeout)}`;
        slot.connection.destroy(this.adapter.error("CONNECTION_TIMEOUT", text));
      }, connectionTimeout);
    }
  }

  #ready(slot: Slot): void {
    if (slot.state !== CONNECTING) return;
    slot.state = READY;
    this.#connecting--;
    clearTimeout(slot.timer);
    const { maxLifetime, onconnect } = this.options;
    this.#watchIdle(slot);
    if (maxLifetime > 0) {
      slot.lifetime = setTimeout(() => {
        slot.isOld = true;
        if (slot.owner === undefined && slot.connection.pending === 0) this.#retire(slot);
      }, maxLifetime);
      slot.lifetime.unref();
    }
    this.#tell(onconnect, null);
    for (const { resolve } of this.#connects.splice(0)) resolve();
    this.#dispatch();
    this.#list(slot);
    this.#finishClose();
  }

  /** Puts a connection that nobody uses where the next task finds it. */
  #list(slot: Slot): void {
    if (slot.isListed || slot.state !== READY || slot.owner !== undefined || slot.connection.pending > 0) return;
    slot.isListed = true;
    this.#free.push(slot);
  }

  /** Ends a connection that is older than it may be. */
  #retire(slot: Slot): void {
    const text = `Max lifetime timeout reached after ${shown(this.options.maxLifetime)}`;
    slot.state = RETIRED;
    slot.connection.destroy(this.adapter.error("LIFETIME_TIMEOUT", text));
  }

  /** Ends a connection that nobody has used for a while. */
  #watchIdle(slot: Slot): void {
    const { idleTimeout } = this.options;
    if (idleTimeout === 0) return;
    if (slot.idle !== undefined) {
      slot.idle.refresh();
      return;
    }
    slot.idle = setTimeout(() => {
      if (slot.owner !== undefined || slot.connection.pending > 0) return;
      slot.state = RETIRED;
      const text = `Idle timeout reached after ${shown(idleTimeout)}`;
      slot.connection.destroy(this.adapter.error("IDLE_TIMEOUT", text));
    }, idleTimeout);
    slot.idle.unref();
  }

  /** All tasks of a connection are answered. */
  #idle(slot: Slot): void {
    if (slot.state !== READY) return;
    slot.idle?.refresh();
    if (slot.owner !== undefined) return;
    // Somebody began a transaction and has not ended it: with one connection it is theirs.
    if (slot.connection.isInTransaction && this.options.max > 1) {
      slot.connection.run(internal(this.adapter.dialect.rollback()));
      return;
    }
    if (slot.isOld) {
      this.#retire(slot);
      return;
    }
    if (this.#head < this.#line.length) this.#dispatch();
    this.#list(slot);
    this.#finishClose();
  }

  /** A connection of one's own goes back; it is of use to others when it is out of its transaction. */
  release(slot: Slot): void {
    if (slot.state === GONE || slot.owner === undefined) return;
    slot.owner = undefined;
    if (slot.connection.pending === 0) this.#idle(slot);
  }

  #gone(slot: Slot, error: Error | undefined): void {
    const { state, owner } = slot;
    if (state === GONE) return;
    slot.state = GONE;
    if (state === CONNECTING) this.#connecting--;
    clearTimeout(slot.timer);
    clearTimeout(slot.idle);
    clearTimeout(slot.lifetime);
    const at = this.#slots.indexOf(slot);
    if (at >= 0) this.#slots.splice(at, 1);
    if (slot.isListed) this.#free.splice(this.#free.indexOf(slot), 1);
    const reason = error ?? this.closedError();
    owner?.lost(reason);
    const { onconnect, onclose } = this.options;
    const isTimeout = (reason as { code?: string }).code?.endsWith("_CONNECTION_TIMEOUT");
    // As in Bun: MySQL's clients hear of a connection that was not made by `onclose` alone.
    const isTold = !isTimeout && this.options.adapter !== "mysql" && this.options.adapter !== "mariadb";
    if (state === CONNECTING && isTold) this.#tell(onconnect, reason);
    this.#tell(onclose, reason);
    if (state === CONNECTING) this.#refused(reason);
    else this.#dispatch();
    this.#finishClose();
  }

  /**
   * A connection could not be made. A server that refuses one may still serve by others: those that there are, and that are on their way.
   * None is begun in its place, or a server that refuses all would be asked again and again.
   */
  #refused(error: Error): void {
    if (!this.#slots.some(({ state }) => state === CONNECTING || state === READY)) {
      this.#fail(error);
      return;
    }
    this.#isHeld = true;
    try {
      this.#dispatch();
    } finally {
      this.#isHeld = false;
    }
  }

  /** Nobody can be served. */
  #fail(error: unknown): void {
    const line = this.#line.slice(this.#head);
    this.#line = [];
    this.#head = 0;
    for (const entry of line) entry.reject(error);
    for (const { reject } of this.#connects.splice(0)) reject(error);
  }

  #tell(listener: ((error: Error | null) => void) | undefined, error: Error | null): void {
    if (listener === undefined) return;
    try {
      listener(error);
    } catch (thrown) {
      queueMicrotask(() => {
        throw thrown;
      });
    }
  }

  // ---- from outside

  #connects: { resolve: () => void; reject: (error: unknown) => void }[] = [];

  /** Resolves when there is a connection. */
  connect(): Promise<void> {
    if (this.#isClosed) return Promise.reject(this.closedError());
    if (this.#slots.some(({ state }) => state === READY)) return Promise.resolve();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#connects.push({ resolve, reject });
    if (this.#slots.length === 0) this.#open();
    return promise;
  }

  /** Ends all connections when what was begun has ended, at the latest after `timeout` milliseconds if it is given. */
  close(timeout: number | undefined): Promise<undefined> {
    this.#isClosed = true;
    this.#closing ??= Promise.withResolvers();
    const { promise } = this.#closing;
    if (timeout === 0) this.#destroyAll();
    else if (timeout !== undefined) {
      clearTimeout(this.#closeTimer);
      this.#closeTimer = setTimeout(() => this.#destroyAll(), timeout);
    }
    // Connections that nobody waits for are not awaited.
    if (this.#head === this.#line.length) {
      for (const slot of [...this.#slots]) if (slot.state === CONNECTING) slot.connection.destroy();
    }
    this.#finishClose();
    return promise;
  }

  #destroyAll(): void {
    this.#fail(this.closedError());
    for (const { connection } of [...this.#slots]) connection.destroy();
    this.#finishClose();
  }

  #finishClose(): void {
    if (this.#closing === undefined || this.#head < this.#line.length) return;
    for (const slot of [...this.#slots]) {
      if (slot.state === READY && slot.owner === undefined && slot.connection.pending === 0) slot.connection.close();
    }
    if (this.#slots.length > 0) return;
    clearTimeout(this.#closeTimer);
    this.#closing.resolve(undefined);
  }
}

/** A statement of the pool's own, whose result interests nobody. */
function internal(text: string): QueryTask {
  const { QueryTask: Task } = require("internal/sql/query");
  const task = new Task(nothing, nothing);
  task.text = text;
  task.isSimple = true;
  return task;
}
