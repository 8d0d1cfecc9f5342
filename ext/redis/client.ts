/** `RedisClient`: one connection to a server, over which commands are sent as they come and answered in their order. */

import { type Command, commands, required } from "internal/redis/commands";
import { closed, RedisError, wrongType } from "internal/redis/errors";
import { type Address, addressOf, defaultUrl, type Options, optionsOf } from "internal/redis/options";
import { type Argument, Encoder, Parser, type Replies } from "internal/redis/resp";
import { Subscriptions } from "internal/redis/subscriptions";
import { Transaction } from "internal/redis/transaction";
import type { Connection, Listener } from "internal/redis/types";

/** Milliseconds before the first try of a new connection, and most. */
const FIRST_DELAY = 50;
const LAST_DELAY = 2000;

const { newPromise, resolvePromise, rejectPromise } = native("loop");

/** Called within the client, before the next reply is looked at. */
interface Direct {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

const NO_ARGUMENTS: readonly Argument[] = [];

/** A command whose reply has not come. */
class Pending {
  /** What is sent, as long as it has not been. */
  name: string;
  args: readonly Argument[];
  readonly isBoolean: boolean;
  readonly isBinary: boolean;
  /** Undefined where functions of the client wait for the reply. */
  readonly promise: Promise<unknown> | undefined;
  readonly direct: Direct | undefined;

  constructor(isBoolean: boolean, isBinary: boolean, direct?: Direct) {
    this.name = "";
    this.args = NO_ARGUMENTS;
    this.isBoolean = isBoolean;
    this.isBinary = isBinary;
    this.direct = direct;
    this.promise = direct === undefined ? newPromise() : undefined;
  }

  resolve(value: unknown): void {
    if (this.promise !== undefined) resolvePromise(this.promise, value);
    else this.direct!.resolve(value);
  }

  reject(error: Error): void {
    if (this.promise !== undefined) rejectPromise(this.promise, error);
    else this.direct!.reject(error);
  }
}

const IDLE = 0,
  CONNECTING = 1,
  READY = 2,
  WAITING = 3,
  CLOSED = 4;

const nothing = (): void => {};

export class RedisClient {
  #onconnect: ((this: RedisClient) => void) | null | undefined = undefined;
  #onclose: ((this: RedisClient, error: Error) => void) | null | undefined = undefined;
  #url: string;
  #given: unknown;
  #address: Address;
  #options: Options;
  #state = IDLE;
  #socket: Connection | undefined = undefined;
  #parser: Parser | undefined = undefined;
  /** Sent, in order; `#head` is the place of the first. */
  #sent: Pending[] = [];
  #head = 0;
  /** Commands that wait for a connection. */
  #waiting: Pending[] = [];
  /** What is written at the end of the turn. */
  #out = new Encoder();
  #flushes = false;
  #hello: PromiseWithResolvers<unknown> | undefined = undefined;
  #greeting: unknown = undefined;
  #tries = 0;
  #timer: ReturnType<typeof setTimeout> | undefined = undefined;
  #idle: ReturnType<typeof setTimeout> | undefined = undefined;
  #subscriptions = new Subscriptions();
  #isHeld = false;
  #replies: Replies = {
    isBinary: () => this.#sent[this.#head]?.isBinary ?? false,
    reply: (value) => this.#reply(value),
    push: (kind, values) => this.#push(kind, values),
  };

  constructor(...[url, options]: [url?: string | null, options?: unknown]) {
    this.#url = url === undefined || url === null ? defaultUrl() : String(url);
    this.#given = options;
    this.#address = addressOf(this.#url);
    this.#options = optionsOf(options);
  }

  /** Called when a connection is there. */
  get onconnect(): ((this: RedisClient) => void) | null | undefined {
    return this.#onconnect;
  }
  set onconnect(listener: ((this: RedisClient) => void) | null | undefined) {
    this.#onconnect = listener;
  }
  /** Called with the reason when a connection has ended. */
  get onclose(): ((this: RedisClient, error: Error) => void) | null | undefined {
    return this.#onclose;
  }
  set onclose(listener: ((this: RedisClient, error: Error) => void) | null | undefined) {
    this.#onclose = listener;
  }

  get connected(): boolean {
    return this.#state === READY;
  }

  /** Bytes of commands that the system has not taken. */
  get bufferedAmount(): number {
    const waiting = new Encoder();
    for (const { name, args } of this.#waiting) waiting.command(name, args);
    const size = waiting.length + this.#out.length;
    return size + (this.#socket?.writableLength ?? 0);
  }

  // ---- the connection

  /** Connects, unless it is connected. Resolves with what the server says of itself. */
  connect(): Promise<unknown> {
    if (this.#state === READY) return Promise.resolve(this.#greeting);
    this.#hello ??= Promise.withResolvers();
    const { promise } = this.#hello;
    if (this.#state === IDLE || this.#state === CLOSED) this.#open();
    return promise;
  }

  /** Ends the connection; commands without a reply are rejected, and later ones until `connect` is called. */
  close(): void {
    if (this.#state === IDLE || this.#state === CLOSED) return;
    this.#state = CLOSED;
    this.#fail(closed());
  }

  /** A client of the same server with the same options, connected if this one is. */
  async duplicate(): Promise<RedisClient> {
    const client = new RedisClient(this.#url, this.#given);
    if (this.#state === READY) await client.connect();
    return client;
  }

  #open(): void {
    this.#state = CONNECTING;
    const { host, port, path, secure } = this.#address;
    const tls = this.#options.tls;
    const where = path === undefined ? { host, port } : { path };
    let socket: Connection;
    try {
      if (secure || tls !== undefined) {
        const servername = path === undefined && !require("node:net").isIP(host) ? host : undefined;
        const files = require("internal/fetch/tls").withFiles(tls ?? {});
        // A socket of the system has no name to check.
        const checks = path === undefined ? {} : { checkServerIdentity: nothing };
        socket = require("node:tls").connect({ ...where, servername, ...checks, ...files }) as unknown as Connection;
        socket.once("secureConnect", () => this.#greet());
      } else {
        socket = require("node:net").connect(where) as unknown as Connection;
        socket.once("connect", () => this.#greet());
      }
    } catch (error) {
      process.nextTick(() => this.#lost(error as Error));
      return;
    }
    socket.setNoDelay(true);
    this.#socket = socket;
    this.#isHeld = true;
    this.#parser = new Parser(this.#replies);
    socket.on("data", (chunk: Buffer) => {
      try {
        this.#idle?.refresh();
        this.#parser!.feed(chunk);
      } catch (error) {
        if (!(error instanceof RedisError)) throw error;
        this.#lost(error, true);
      }
    });
    // A certificate that is refused once is refused always.
    socket.on("error", (error: Error) => this.#lost(error, Boolean(socket.authorizationError)));
    socket.on("close", () => this.#lost(closed()));
    const { connectionTimeout } = this.#options;
    if (connectionTimeout > 0) {
      const late = `Connection timeout reached after ${connectionTimeout}ms`;
      this.#timer = setTimeout(() => this.#lost(new RedisError("CONNECTION_TIMEOUT", late), true), connectionTimeout);
    }
  }

  /** HELLO, and the database. */
  #greet(): void {
    const { username, password, database } = this.#address;
    const args = ["3"];
    if (password !== "" || username !== "") args.push("AUTH", username || "default", password);
    const refused = (error: RedisError): void =>
      this.#lost(new RedisError("AUTHENTICATION_FAILED", error.message), true);
    this.#direct(
      "HELLO",
      args,
      (greeting) => {
        // What is no map says nothing of its protocol.
        if (typeof greeting === "object" && (greeting as { proto?: number } | null)?.proto !== 3) {
          this.#lost(new RedisError("INVALID_RESPONSE", "Server does not support RESP3"), true);
          return;
        }
        if (database === 0) return this.#ready(greeting);
        const bad = (error: RedisError): void => this.#lost(new RedisError("INVALID_COMMAND", error.message), true);
        this.#direct("SELECT", [String(database)], () => this.#ready(greeting), bad);
        this.#flush();
      },
      refused,
    );
    this.#flush();
  }

  /** Sends a command before the others. */
  #direct(name: string, args: string[], resolve: (value: unknown) => void, reject: (error: RedisError) => void): void {
    this.#sent.push(new Pending(false, false, { resolve, reject: reject as Direct["reject"] }));
    this.#out.command(name, args);
  }

  #ready(greeting: unknown): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#state = READY;
    this.#tries = 0;
    this.#greeting = greeting;
    const { idleTimeout } = this.#options;
    if (idleTimeout > 0) {
      const idle = `Idle timeout reached after ${idleTimeout}ms`;
      this.#idle = setTimeout(() => this.#lost(new RedisError("IDLE_TIMEOUT", idle), true), idleTimeout);
      this.#idle.unref();
    }
    // Who listened goes on listening on the new connection.
    for (const [name, channels] of this.#subscriptions.again()) this.#out.command(name, channels);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const pending of waiting) {
      this.#sent.push(pending);
      this.#out.command(pending.name, pending.args);
      pending.args = NO_ARGUMENTS;
    }
    this.#flush();
    this.#hold();
    this.#hello?.resolve(greeting);
    this.#hello = undefined;
    this.onconnect?.call(this);
  }

  /** The connection is gone, or of no use. `final`: it is not tried again. */
  #lost(error: Error, final = false): void {
    const state = this.#state;
    if (state !== CONNECTING && state !== READY) return;
    this.#drop();
    const { autoReconnect, maxRetries } = this.#options;
    if (final || !autoReconnect) {
      this.#state = IDLE;
      return this.#fail(final || error instanceof RedisError ? error : closed());
    }
    if (this.#tries >= maxRetries) {
      this.#state = IDLE;
      this.#tries = 0;
      return this.#fail(new RedisError("CONNECTION_CLOSED", "Max reconnection attempts reached"));
    }
    this.#rejectSent(closed());
    const delay = Math.min(FIRST_DELAY * 2 ** this.#tries++, LAST_DELAY);
    this.#state = WAITING;
    this.#timer = setTimeout(() => this.#open(), delay);
    if (this.#waiting.length === 0 && this.#hello === undefined && !this.#subscriptions.isActive) this.#timer.unref();
    if (state === READY) this.onclose?.call(this, closed());
  }

  /** Lets go of the socket and of its timers. */
  #drop(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#idle);
    this.#timer = this.#idle = undefined;
    this.#out = new Encoder();
    this.#parser = undefined;
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket === undefined) return;
    socket.removeAllListeners();
    socket.on("error", nothing);
    socket.destroy();
  }

  #rejectSent(error: Error): void {
    const sent = this.#sent.slice(this.#head);
    this.#sent = [];
    this.#head = 0;
    for (const pending of sent) pending.reject(error);
    this.#subscriptions.rejectAll(error);
  }

  /** Everything that waits is rejected. */
  #fail(error: Error): void {
    this.#drop();
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#rejectSent(error);
    for (const pending of waiting) pending.reject(error);
    this.#subscriptions.clear();
    this.#hello?.reject(error);
    this.#hello = undefined;
    this.onclose?.call(this, error);
  }

  /** Keeps the process running as long as something is awaited. */
  #hold(): void {
    const wanted = this.#head < this.#sent.length || this.#state !== READY || this.#subscriptions.isActive;
    if (wanted === this.#isHeld || this.#socket === undefined) return;
    this.#isHeld = wanted;
    if (wanted) this.#socket.ref();
    else this.#socket.unref();
  }

  #flush = (): void => {
    this.#flushes = false;
    const socket = this.#socket;
    if (socket === undefined || this.#out.length === 0) return;
    const pieces = this.#out.take();
    if (pieces.length === 1) {
      socket.write(pieces[0]!);
      return;
    }
    socket.cork();
    for (const piece of pieces) socket.write(piece);
    socket.uncork();
  };

  // ---- replies

  #reply(value: unknown): void {
    const pending = this.#sent[this.#head++];
    if (pending === undefined) throw new RedisError("INVALID_RESPONSE", "The server answers what was not asked");
    if (this.#head === this.#sent.length) {
      this.#sent = [];
      this.#head = 0;
      this.#hold();
    } else if (this.#head === 1024) {
      this.#sent = this.#sent.slice(1024);
      this.#head = 0;
    }
    if (value instanceof RedisError) pending.reject(value);
    else pending.resolve(pending.isBoolean ? value === 1 || value === true : value);
  }

  #push(kind: string, values: unknown[]): void {
    this.#subscriptions.push(kind, values);
    this.#hold();
  }

  // ---- commands

  /** Sends any command; `args` are strings or bytes. Resolves with the reply. */
  send(name: string, args: unknown[]): Promise<unknown> {
    if (!Array.isArray(args)) throw new Error("Arguments must be an array");
    const text = String(name);
    return this.#send(
      text,
      args.map((value) => required(text, "additional arguments", value)),
    );
  }

  /** Sends a command of the table. */
  #call(command: Command, values: unknown[]): Promise<unknown> {
    if (this.#subscriptions.size > 0 && command.method !== "ping" && command.method !== "pubsub") {
      const text = `RedisClient.prototype.${command.method} cannot be called while in subscriber mode.`;
      throw new RedisError("INVALID_STATE", text);
    }
    return this.#send(command.name, command.read(values), command.isBoolean, command.isBinary);
  }

  #send(name: string, args: Argument[], isBoolean = false, isBinary = false): Promise<unknown> {
    const pending = new Pending(isBoolean, isBinary);
    if (this.#state === READY) {
      this.#sent.push(pending);
      this.#write(name, args);
      this.#hold();
    } else {
      pending.name = name;
      pending.args = args;
      this.#add(pending);
    }
    return pending.promise!;
  }

  /** A command that cannot be sent now. */
  #add(pending: Pending): void {
    if (this.#state === CLOSED) {
      pending.reject(new RedisError("CONNECTION_CLOSED", "Connection has failed"));
      return;
    }
    const { enableOfflineQueue } = this.#options;
    if (enableOfflineQueue) {
      this.#waiting.push(pending);
      this.#timer?.ref();
    } else pending.reject(new RedisError("CONNECTION_CLOSED", "Connection is closed and offline queue is disabled"));
    if (this.#state === IDLE) this.#open();
  }

  #write(name: string, args: readonly Argument[]): void {
    this.#out.command(name, args);
    if (this.#flushes) return;
    if (!this.#options.enableAutoPipelining) return this.#flush();
    this.#flushes = true;
    queueMicrotask(this.#flush);
  }

  /**
   * Commands that run as one: those called on the result, by `exec()`. They are sent together between MULTI and EXEC; none runs if one is
   * refused.
   */
  multi(): Transaction {
    return new Transaction(
      async (list) => {
        const done = list.map(({ command, args }) => this.#send(command.name, args));
        // What is refused makes EXEC fail, which says so.
        for (const promise of done) promise.catch(nothing);
        return done;
      },
      (name) => this.#send(name, []),
    );
  }

  // ---- messages

  /** Calls `listener(message, channel)` for what is published. Resolves with the number of subscriptions. */
  subscribe(channels: string | string[], listener: Listener): Promise<unknown> {
    return this.#subscribe("subscribe", channels, listener);
  }

  /** The same for channels whose names match a pattern, which the listener gets as its third argument. */
  psubscribe(patterns: string | string[], listener: Listener): Promise<unknown> {
    return this.#subscribe("psubscribe", patterns, listener);
  }

  #subscribe(kind: "subscribe" | "psubscribe", given: string | string[], listener: Listener): Promise<unknown> {
    if (typeof listener !== "function") throw wrongType(kind, "listener", "function");
    if (!Array.isArray(given) && typeof given !== "string") throw wrongType(kind, "channel", "string or array");
    const channels = Array.isArray(given) ? given : [given];
    if (channels.length === 0) throw wrongType(kind, "channel", "string or array");
    for (const channel of channels) if (typeof channel !== "string") throw wrongType(kind, "channel", "string");
    const promise = this.#subscriptions.add(kind, channels, listener);
    this.#request(kind, channels);
    return promise;
  }

  /** Ends subscriptions: all, those of channels, or one listener's. */
  unsubscribe(channels?: string | string[], listener?: Listener): Promise<unknown> {
    return this.#unsubscribe("unsubscribe", channels, listener);
  }

  punsubscribe(patterns?: string | string[], listener?: Listener): Promise<unknown> {
    return this.#unsubscribe("punsubscribe", patterns, listener);
  }

  #unsubscribe(kind: "unsubscribe" | "punsubscribe", given?: string | string[], listener?: Listener): Promise<unknown> {
    if (this.#subscriptions.size === 0) {
      const text = `RedisClient.prototype.${kind} can only be called while in subscriber mode.`;
      throw new RedisError("INVALID_STATE", text);
    }
    if (given !== undefined && typeof given !== "string" && !Array.isArray(given))
      throw wrongType(kind, "channel", "string or array");
    if (listener !== undefined && typeof listener !== "function") throw wrongType(kind, "listener", "function");
    const channels = this.#subscriptions.remove(kind, given, listener);
    if (channels.length === 0) return Promise.resolve();
    const promise = this.#subscriptions.end(kind, channels);
    this.#request(kind, channels);
    return promise;
  }

  /** Sends what is answered by messages. */
  #request(kind: string, channels: string[]): void {
    if (this.#state === READY) {
      this.#write(kind.toUpperCase(), channels);
      this.#hold();
    } else if (this.#state === CLOSED) {
      this.#subscriptions.rejectAll(new RedisError("CONNECTION_CLOSED", "Connection has failed"));
      this.#subscriptions.clear();
    } else if (this.#state === IDLE) this.#open();
    // Else the new connection subscribes to all.
  }

  static {
    const methods = RedisClient.prototype as unknown as Record<string, unknown>;
    for (const command of commands) {
      const { [command.method]: method } = {
        [command.method](this: RedisClient, ...values: unknown[]) {
          return this.#call(command, values);
        },
      };
      methods[command.method] = method;
    }
  }
}
Object.defineProperty(RedisClient.prototype, Symbol.toStringTag, { value: "RedisClient", configurable: true });
