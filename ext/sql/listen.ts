/** LISTEN: a connection of its own that gets messages, opened again when it is lost (https://www.postgresql.org/docs/current/sql-listen.html). */

import type { Adapter, Connection } from "internal/sql/adapter";
import type { ClientOptions } from "internal/sql/options";
import { QueryTask } from "internal/sql/query";

type Listener = (payload: string) => void;

/** Milliseconds before the first try of a new connection, and most. */
const FIRST_DELAY = 50;
const MAX_DELAY = 5000;

/** What `sql.listen` gives. */
class ListenSubscription {
  readonly channel: string;
  readonly unlisten: () => Promise<void>;
  constructor(channel: string, unlisten: () => Promise<void>) {
    this.channel = channel;
    this.unlisten = unlisten;
  }
  [Symbol.asyncDispose](): Promise<void> {
    return this.unlisten();
  }
}

interface Entry {
  listener: Listener;
  onlisten: (() => void) | undefined;
}

export class Listeners {
  #options: ClientOptions;
  #adapter: Adapter;
  #channels = new Map<string, Set<Entry>>();
  #connection: Connection | undefined = undefined;
  #isReady = false;
  #isClosed = false;
  #tries = 0;
  #timer: ReturnType<typeof setTimeout> | undefined = undefined;
  #waiting: { resolve: () => void; reject: (error: unknown) => void }[] = [];

  constructor(options: ClientOptions, adapter: Adapter) {
    this.#options = options;
    this.#adapter = adapter;
  }

  /** Calls `listener` with the payload of each message; `onlisten` whenever listening begins, also after a lost connection. */
  async listen(channel: string, listener: unknown, onlisten: unknown): Promise<ListenSubscription> {
    if (typeof listener !== "function") throw new TypeError("listen() expects a function as its second argument");
    const entry: Entry = {
      listener: listener as Listener,
      onlisten: typeof onlisten === "function" ? (onlisten as () => void) : undefined,
    };
    let entries = this.#channels.get(channel);
    const isNew = entries === undefined;
    if (entries === undefined) this.#channels.set(channel, (entries = new Set()));
    entries.add(entry);
    try {
      await this.#connect();
      if (isNew && !this.#sent.has(channel)) {
        this.#sent.add(channel);
        await this.#statement(`listen ${this.#quoted(channel)}`);
      }
    } catch (error) {
      this.#drop(channel, entry);
      throw error;
    }
    this.#call(entry.onlisten);
    return new ListenSubscription(channel, async () => {
      if (!this.#drop(channel, entry) || !this.#isReady) return;
      this.#sent.delete(channel);
      await this.#statement(`unlisten ${this.#quoted(channel)}`);
      if (this.#channels.size === 0) this.#end();
    });
  }

  /** Channels that the connection listens to. */
  #sent = new Set<string>();

  #quoted(channel: string): string {
    return `"${channel.replaceAll('"', '""')}"`;
  }

  /** Takes an entry away; whether it was the last of its channel. */
  #drop(channel: string, entry: Entry): boolean {
    const entries = this.#channels.get(channel);
    if (entries === undefined || !entries.delete(entry) || entries.size > 0) return false;
    this.#channels.delete(channel);
    return true;
  }

  #statement(text: string): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers();
    const task = new QueryTask(resolve, reject);
    task.text = text;
    task.isSimple = true;
    this.#connection!.run(task);
    return promise;
  }

  #connect(): Promise<void> {
    if (this.#isReady) return Promise.resolve();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ resolve, reject });
    if (this.#connection === undefined) this.#open();
    return promise;
  }

  #open(): void {
    clearTimeout(this.#timer);
    this.#isClosed = false;
    const connection = this.#adapter.connect(this.#options, {
      ready: () => void this.#ready(),
      idle() {},
      closed: (_, error) => this.#lost(error),
      notified: (channel, payload) => {
        for (const { listener } of [...(this.#channels.get(channel) ?? [])]) this.#call(() => listener(payload));
      },
    });
    this.#connection = connection;
  }

  async #ready(): Promise<void> {
    this.#isReady = true;
    this.#tries = 0;
    this.#connection!.ref();
    this.#sent = new Set(this.#channels.keys());
    const again = [...this.#sent];
    try {
      if (again.length > 0) await this.#statement(again.map((name) => `listen ${this.#quoted(name)}`).join("; "));
    } catch {
      // The connection is lost again, which says so itself.
      return;
    }
    const waiting = this.#waiting.splice(0);
    const isFirst = waiting.length > 0;
    for (const { resolve } of waiting) resolve();
    if (isFirst) return;
    for (const entries of this.#channels.values()) for (const { onlisten } of entries) this.#call(onlisten);
  }

  #lost(error: Error | undefined): void {
    this.#connection = undefined;
    this.#isReady = false;
    this.#sent.clear();
    if (this.#isClosed) return;
    const reason = error ?? this.#adapter.error("CONNECTION_CLOSED", "Connection closed");
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
    if (this.#channels.size === 0) return;
    const delay = Math.min(FIRST_DELAY * 2 ** this.#tries++, MAX_DELAY);
    this.#timer = setTimeout(() => this.#open(), delay);
  }

  #call(listener: (() => void) | undefined): void {
    try {
      listener?.();
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  #end(): void {
    this.#isClosed = true;
    this.#isReady = false;
    clearTimeout(this.#timer);
    this.#connection?.close();
    this.#connection = undefined;
  }

  /** Ends the connection; nothing is listened to any more. */
  close(): void {
    this.#channels.clear();
    this.#end();
  }
}
