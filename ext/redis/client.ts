/** `RedisClient`: one connection to a server, over which commands are sent as they come and answered in their order. */

import { Cluster, type Member } from "internal/redis/cluster";
import { type Command, commands, kept, required } from "internal/redis/commands";
import { closed, ended, offline, RedisError, refusal, wrongType } from "internal/redis/errors";
import { type Address, addressOf, defaultUrl, type Options, optionsOf } from "internal/redis/options";
import { findMaster, isMaster } from "internal/redis/sentinel";
import { resultOf } from "internal/redis/resp2";
import { type SubscriptionKind, Subscriptions } from "internal/redis/subscriptions";
import { type Queued, Transaction } from "internal/redis/transaction";
import type { Arguments, Connection, Listener, Place } from "internal/redis/types";
import { errnoException } from "internal/core/errors";
import { asyncContext, callInContext, captureContext, runInContext } from "internal/events/async_context";
import { hostAndPort } from "internal/net/ip";
import { type StreamHandle, UV_EOF } from "internal/net/native";

/** Milliseconds before the first try of a new connection, and most. */
const FIRST_DELAY = 50;
const LAST_DELAY = 2000;

const ops = native("redis");
const { newPromise, resolvePromise, rejectPromise } = native("loop");

/** What becomes of a reply, as native code knows it. */
const EXPECTS_ANY = 0,
  EXPECTS_BOOLEAN = 1,
  EXPECTS_GIVEN = 2,
  EXPECTS_BYTES = 3,
  EXPECTS_MESSAGES = 4;

/** What native code tells. */
const REPLY = 1,
  PUSH = 2,
  FAULT = 3;

/** A command whose reply JavaScript takes, before the next one is looked at. */
class Handled {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  constructor(resolve: (value: unknown) => void, reject: (error: Error) => void) {
    this.resolve = resolve;
    this.reject = reject;
  }
}

/** A subscription whose messages have not all come. */
class Subscribing {
  readonly reject: (error: Error) => void;
  constructor(reject: (error: Error) => void) {
    this.reject = reject;
  }
}

type Sent = Handled | Subscribing;

/** A command that waits for a connection. */
interface Waiting {
  name: string;
  args: Arguments;
  expects: number;
  promise: Promise<unknown>;
}

const expectsOf = ({ isBinary, isBoolean }: Command): number =>
  isBinary ? EXPECTS_BYTES : isBoolean ? EXPECTS_BOOLEAN : EXPECTS_ANY;

const serverError = (message: string): RedisError => new RedisError("SERVER_ERROR", message);

const IDLE = 0,
  CONNECTING = 1,
  READY = 2,
  WAITING = 3,
  CLOSED = 4;

const nothing = (): void => {};

/** Commands that are not answered by one reply, and what to do instead. */
const NOT_SENT: Record<string, string> = {
  SUBSCRIBE: "use subscribe()",
  PSUBSCRIBE: "use psubscribe()",
  UNSUBSCRIBE: "use unsubscribe()",
  PUNSUBSCRIBE: "use punsubscribe()",
  SSUBSCRIBE: "shard channels are not supported",
  SUNSUBSCRIBE: "shard channels are not supported",
  MONITOR: "it is not supported",
};

let sendOf: (client: RedisClient, name: string, args: Arguments, expects: number) => Promise<unknown>;
let sendAskingOf: typeof sendOf;
let isBusyOf: (client: RedisClient) => boolean;
let openUnasked: (client: RedisClient) => void;

/** Begins to connect for commands that may come. Until one does, the process does not wait for the server. */
export function preconnect(client: RedisClient): void {
  openUnasked(client);
}

/** A server of a cluster. */
class ClusterMember implements Member {
  readonly client: RedisClient;
  readonly host: string;
  constructor(client: RedisClient, host: string) {
    this.client = client;
    this.host = host;
  }
  get isReady(): boolean {
    return this.client.connected;
  }
  get isBusy(): boolean {
    return isBusyOf(this.client);
  }
  get bufferedAmount(): number {
    return this.client.bufferedAmount;
  }
  ready(): Promise<unknown> {
    return this.client.connect();
  }
  send(name: string, args: Arguments, expects: number): Promise<unknown> {
    return sendOf(this.client, name, args, expects);
  }
  sendAsking(name: string, args: Arguments, expects: number): Promise<unknown> {
    return sendAskingOf(this.client, name, args, expects);
  }
  close(): void {
    this.client.close();
  }
}

export class RedisClient {
  #onconnect: ((this: RedisClient) => void) | null | undefined = undefined;
  #onclose: ((this: RedisClient, error: Error) => void) | null | undefined = undefined;
  #url: string;
  #given: unknown;
  #address: Address;
  #options: Options;
  #state = IDLE;
  /** The async context that the client was made in. */
  readonly #context = captureContext();
  #socket: Connection | undefined = undefined;
  /** The native socket, once it is connected: bytes come and go without a stream between. */
  #handle: StreamHandle | undefined = undefined;
  /** The bytes of the connection, and the promises of commands whose replies native code settles. */
  #link = ops.link();
  /** The server does not know RESP3. */
  #isOld = false;
  /** Commands whose replies are handled here, in order. */
  #sent: Sent[] = [];
  /** Commands that wait for a connection. */
  #waiting: Waiting[] = [];
  /** What was written in this turn goes out at its end. */
  #flushes = false;
  /** The system has not taken all. */
  #isWriting = false;
  /** Called when it has; each connection has its own. */
  #written: (errno: number) => void = nothing;
  #hello: PromiseWithResolvers<unknown> | undefined = undefined;
  #greeting: unknown = undefined;
  #tries = 0;
  /** Number of the connection that is opened. */
  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined = undefined;
  #idle: ReturnType<typeof setTimeout> | undefined = undefined;
  #subscriptions = new Subscriptions();
  /** The servers of a cluster, which then have all connections. */
  #cluster: Cluster | undefined = undefined;
  /** The loop waits for the socket, whether a reply is expected or not. */
  #isHeld = false;
  /** Nobody has asked for the connection: see `preconnect`. */
  #isUnasked = false;
  constructor(...[url, options]: [url?: string | null, options?: unknown]) {
    this.#url = url === undefined || url === null ? defaultUrl() : String(url);
    this.#given = options;
    this.#address = addressOf(this.#url);
    this.#options = optionsOf(options, this.#address);
    const { cluster, autoReconnect, maxRetries, enableOfflineQueue } = this.#options;
    if (cluster === undefined) return;
    const { host, port } = this.#address;
    const seeds = cluster.length > 0 ? cluster : [{ host, port }];
    this.#cluster = new Cluster(seeds, {
      waits: enableOfflineQueue,
      maxRetries: autoReconnect ? maxRetries : 0,
      make: (place) => new ClusterMember(this.#memberAt(place), place.host),
      // What a listener throws is an uncaught exception, and no failure of the server.
      opened: () => queueMicrotask(() => this.onconnect?.call(this)),
      failed: (error) => queueMicrotask(() => this.onclose?.call(this, error)),
    });
  }

  /** The client of one server of the cluster. It connects when it is needed. */
  #memberAt({ host, port }: Place): RedisClient {
    const given = { ...(this.#given as object), cluster: false, autoReconnect: false };
    const client = new RedisClient(this.#url, given);
    client.#address = { ...client.#address, host, port, database: 0 };
    return client;
  }

  static {
    sendOf = (client, name, args, expects) => client.#send(name, args, expects);
    sendAskingOf = (client, name, args, expects) => {
      client.#send("ASKING", [], EXPECTS_ANY).catch(nothing);
      return client.#send(name, args, expects);
    };
    isBusyOf = (client) => ops.pending(client.#link) > 0;
    openUnasked = (client) => {
      if (client.#state !== IDLE) return;
      client.#isUnasked = true;
      client.#open();
    };
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
    return this.#cluster === undefined ? this.#state === READY : this.#cluster.isLoaded;
  }

  /** Bytes of commands that the system has not taken. */
  get bufferedAmount(): number {
    if (this.#cluster !== undefined) return this.#cluster.bufferedAmount;
    const waiting = ops.link();
    for (const { name, args, promise } of this.#waiting) ops.command(waiting, name, args, EXPECTS_ANY, promise);
    return ops.unsent(waiting) + ops.unsent(this.#link) + (this.#handle?.writeQueueSize ?? 0);
  }

  // ---- the connection

  /** Connects, unless it is connected. Resolves with what the server says of itself. */
  connect(): Promise<unknown> {
    if (this.#state === READY) return Promise.resolve(this.#greeting);
    if (this.#cluster !== undefined) {
      this.#state = IDLE;
      return this.#cluster.connect();
    }
    this.#askedFor();
    this.#hello ??= Promise.withResolvers();
    const { promise } = this.#hello;
    if (this.#state === IDLE || this.#state === CLOSED) this.#open();
    return promise;
  }

  /** Ends the connection; commands without a reply are rejected, and later ones until `connect` is called. */
  close(): void {
    if (this.#cluster !== undefined) {
      this.#state = CLOSED;
      if (this.#cluster.close()) this.onclose?.call(this, closed());
      return;
    }
    if (this.#state === IDLE || this.#state === CLOSED) return;
    this.#state = CLOSED;
    this.#fail(closed());
  }

  /** A client of the same server with the same options, connected if this one is. */
  async duplicate(): Promise<RedisClient> {
    const client = new RedisClient(this.#url, this.#given);
    if (this.connected) await client.connect();
    return client;
  }

  /** The connection is the client's, whoever's command it is opened for. */
  #open(): void {
    runInContext(this.#context, this.#openHere, this, []);
  }

  #openHere(): void {
    this.#state = CONNECTING;
    const attempt = ++this.#attempt;
    const { sentinels } = this.#options;
    if (sentinels === undefined) return this.#connect();
    findMaster(sentinels, askOnce).then(
      ({ host, port }) => {
        if (this.#attempt !== attempt || this.#state !== CONNECTING) return;
        this.#address = { ...this.#address, host, port };
        this.#connect();
      },
      (error: Error) => {
        if (this.#attempt === attempt) this.#lost(error);
      },
    );
  }

  #connect(): void {
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
        socket.once("secureConnect", () => this.#takeOver(socket));
      } else {
        socket = require("node:net").connect(where) as unknown as Connection;
        socket.once("connect", () => this.#takeOver(socket));
      }
    } catch (error) {
      process.nextTick(() => this.#lost(error as Error));
      return;
    }
    socket.setNoDelay(true);
    this.#socket = socket;
    this.#isHeld = true;
    // A certificate that is refused once is refused always.
    socket.on("error", (error: Error) => {
      if (socket.authorizationError) this.#lost(refusal(error), true);
      else this.#lost(error);
    });
    socket.on("close", () => this.#lost(closed()));
    const { connectionTimeout } = this.#options;
    if (connectionTimeout > 0) {
      const late = `Connection timeout reached after ${connectionTimeout}ms`;
      this.#timer = setTimeout(() => this.#lost(new RedisError("CONNECTION_TIMEOUT", late), true), connectionTimeout);
      if (this.#isUnasked) this.#timer.unref();
    }
    this.#hold();
  }

  /** Somebody waits for the connection that was opened in advance. */
  #askedFor(): void {
    if (!this.#isUnasked) return;
    this.#isUnasked = false;
    this.#timer?.ref();
    this.#hold();
  }

  /** Reads and writes by the native socket. */
  #takeOver(socket: Connection): void {
    const handle = socket._handle;
    if (!handle) return this.#lost(closed());
    this.#handle = handle;
    const link = this.#link;
    const tell = (why: number, first: unknown, second: unknown): void => {
      // A listener or a getter of the program has closed the connection.
      if (this.#link !== link) return;
      if (asyncContext.active) callInContext(handle.context, this.#told, this, [why, first, second]);
      else this.#told(why, first, second);
    };
    if (!ops.attach(link, handle.id, tell, serverError, this.#options.idleTimeout > 0)) return this.#lost(closed());
    this.#isHeld = true;
    this.#hold();
    // Native code reads; what is left to tell is the end.
    handle.onread = (_, errno) => this.#lost(errno === UV_EOF ? closed() : errnoException(errno, "read"));
    this.#written = (errno) => {
      // The end of an old connection is not that of the new one.
      if (this.#handle !== handle) return;
      this.#isWriting = false;
      if (errno < 0) this.#lost(errnoException(errno, "write"));
      else this.#flush();
    };
    if (!handle.reading) handle.readStart();
    this.#greet();
  }

  /** HELLO, and the database. */
  #greet(): void {
    const { username, password } = this.#address;
    const args = ["3"];
    if (password !== "" || username !== "") args.push("AUTH", username || "default", password);
    this.#direct(
      "HELLO",
      args,
      (greeting) => {
        const { proto } = (typeof greeting === "object" && greeting !== null ? greeting : {}) as { proto?: number };
        // A list is the map of a server that stays with RESP2.
        if (Array.isArray(greeting) || (proto !== undefined && proto !== 3)) this.#goOld();
        this.#select(greeting);
      },
      (error) => {
        if (!/^(?:ERR unknown command|NOPROTO)/i.test(error.message)) return this.#refused(error);
        this.#goOld();
        if (args.length === 1) return this.#select({ proto: 2 });
        const login = username === "" ? [password] : [username, password];
        this.#direct("AUTH", login, () => this.#select({ proto: 2 }), this.#refused);
        this.#flush();
      },
    );
    this.#flush();
  }

  /** The server knows RESP2 only. */
  #goOld(): void {
    this.#isOld = true;
    ops.setOld(this.#link);
  }

  /** Says who was refused where, and not with which password. */
  #refused = ({ message }: Error): void => {
    const { host, port, path, username } = this.#address;
    const error = new RedisError("AUTHENTICATION_FAILED", message);
    error.username = username || "default";
    error.address = path ?? hostAndPort(host, port);
    this.#lost(error, true);
  };

  #select(greeting: unknown): void {
    if (this.#options.sentinels === undefined) return this.#selected(greeting);
    // Sentinels may not know yet that another one is the master.
    const wait = (): void => this.#lost(new RedisError("CONNECTION_CLOSED", "The server is no master"));
    this.#direct("ROLE", [], (role) => (isMaster(role) ? this.#selected(greeting) : wait()), this.#refused);
    this.#flush();
  }

  #selected(greeting: unknown): void {
    const { database } = this.#address;
    if (database === 0) return this.#ready(greeting);
    const bad = (error: Error): void => this.#lost(new RedisError("INVALID_COMMAND", error.message), true);
    this.#direct("SELECT", [String(database)], () => this.#ready(greeting), bad);
    this.#flush();
  }

  /** Sends a command before the others. */
  #direct(name: string, args: Arguments, resolve: (value: unknown) => void, reject: (error: Error) => void): void {
    ops.ask(this.#link, name, args, EXPECTS_GIVEN);
    this.#sent.push(new Handled(resolve, reject));
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
    for (const [name, channels] of this.#subscriptions.again()) this.#ask(name, channels);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { name, args, expects, promise } of waiting) this.#put(name, args, expects, promise);
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
    const left = this.#drop();
    const { autoReconnect, maxRetries } = this.#options;
    if (final || !autoReconnect) {
      this.#state = IDLE;
      return this.#failAll(left, final || error instanceof RedisError ? error : closed());
    }
    if (this.#tries >= maxRetries) {
      this.#state = IDLE;
      this.#tries = 0;
      const failed = new RedisError("CONNECTION_CLOSED", "Max reconnection attempts reached");
      Object.defineProperty(failed, "cause", { value: error, writable: true, configurable: true });
      return this.#failAll(left, failed);
    }
    const delay = Math.min(FIRST_DELAY * 2 ** this.#tries++, LAST_DELAY);
    // Before the commands are rejected: the greeting of a server that hangs up has not been refused.
    this.#state = WAITING;
    this.#rejectSent(left, closed());
    this.#timer = setTimeout(() => this.#open(), delay);
    if (this.#waiting.length === 0 && this.#hello === undefined && !this.#subscriptions.isActive) this.#timer.unref();
    if (state === READY) this.onclose?.call(this, closed());
  }

  /** Lets go of the socket and of its timers. Gives the promises whose replies have not come. */
  #drop(): Promise<unknown>[] {
    clearTimeout(this.#timer);
    clearTimeout(this.#idle);
    this.#timer = this.#idle = undefined;
    const left = ops.detach(this.#link);
    this.#link = ops.link();
    this.#isOld = false;
    this.#isWriting = false;
    const socket = this.#socket;
    if (this.#handle !== undefined) this.#handle.onread = nothing;
    this.#handle = undefined;
    this.#socket = undefined;
    if (socket === undefined) return left;
    socket.removeAllListeners();
    socket.on("error", nothing);
    socket.destroy();
    return left;
  }

  /** Rejects these promises, and who waits for what is handled here. */
  #rejectSent(promises: Promise<unknown>[], error: Error): void {
    const sent = this.#sent;
    this.#sent = [];
    for (const promise of promises) rejectPromise(promise, error);
    // Subscriptions are made again; who waits for them is told below.
    for (const one of sent) if (one instanceof Handled) one.reject(error);
    this.#subscriptions.rejectAll(error);
  }

  /** Ends the connection. Everything that waits is rejected. */
  #fail(error: Error): void {
    this.#failAll(this.#drop(), error);
  }

  /** Everything that waits is rejected, with the promises of the connection that is gone. */
  #failAll(left: Promise<unknown>[], error: Error): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#rejectSent(left, error);
    for (const { promise } of waiting) rejectPromise(promise, error);
    this.#subscriptions.clear();
    this.#hello?.reject(error);
    this.#hello = undefined;
    this.onclose?.call(this, error);
  }

  /** Keeps the process running as long as something is awaited. Once there is a connection, native code does so for replies. */
  #hold(): void {
    const wanted = this.#state === READY ? this.#subscriptions.isActive : !this.#isUnasked;
    if (wanted === this.#isHeld || this.#socket === undefined) return;
    this.#isHeld = wanted;
    if (this.#handle !== undefined) ops.hold(this.#link, wanted);
    else if (wanted) this.#socket.ref();
    else this.#socket.unref();
  }

  #flush = (): void => {
    this.#flushes = false;
    const handle = this.#handle;
    if (handle === undefined || this.#isWriting) return;
    const result = ops.flush(this.#link);
    if (result > 0) {
      this.#isWriting = true;
      handle.onwritten = this.#written;
    }
    // What the server said last is still to be read.
    else if (result < 0) {
      process.nextTick(() => {
        if (this.#handle === handle) this.#lost(errnoException(result, "write"));
      });
    }
  };

  // ---- replies

  /** What native code has read and does not settle by itself. What the program throws is an uncaught exception, and reading goes on. */
  #told(why: number, first: unknown, second: unknown): void {
    try {
      this.#idle?.refresh();
      if (why === REPLY) this.#reply(this.#sent.shift()!, first);
      else if (why === PUSH) {
        if (second === true) this.#sent.shift();
        this.#push(first as unknown[]);
      } else if (why === FAULT) this.#lost(new RedisError(first as string, second as string), true);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  #reply(one: Sent, value: unknown): void {
    if (value instanceof RedisError) (one as Handled).reject(value);
    else if (one instanceof Handled) one.resolve(value);
    else this.#lost(new RedisError("INVALID_RESPONSE", "The server answers a subscription with something else"), true);
  }

  #push([kind, ...values]: unknown[]): void {
    this.#subscriptions.push(String(kind), values);
    this.#hold();
  }

  // ---- commands

  /** Sends any command that is answered by one reply; `args` are strings or bytes. Resolves with the reply. */
  send(name: string, args: unknown[]): Promise<unknown> {
    if (!Array.isArray(args)) throw new Error("Arguments must be an array");
    const text = String(name);
    const instead = NOT_SENT[text.toUpperCase()];
    if (instead !== undefined) {
      const message = `RedisClient.prototype.send cannot send ${text}, which is not answered by one reply: ${instead}.`;
      throw new RedisError("INVALID_STATE", message);
    }
    return this.#send(
      text,
      args.map((value) => required(text, "additional arguments", value)),
      EXPECTS_ANY,
    );
  }

  /** Sends a command of the table. */
  #call(command: Command, values: unknown[]): Promise<unknown> {
    if (this.#subscriptions.size > 0 && command.method !== "ping" && command.method !== "pubsub") {
      const text = `RedisClient.prototype.${command.method} cannot be called while in subscriber mode.`;
      throw new RedisError("INVALID_STATE", text);
    }
    return this.#send(command.name, command.read(values), expectsOf(command));
  }

  #send(name: string, args: Arguments, expects: number): Promise<unknown> {
    if (this.#state === READY) {
      const promise = this.#put(name, args, expects, undefined);
      if (!this.#flushes) this.#flushLater();
      return promise;
    }
    if (this.#cluster !== undefined && this.#state !== CLOSED) return this.#cluster.send(name, args, expects);
    const promise = newPromise();
    this.#add({ name, args, expects, promise });
    return promise;
  }

  /** Writes a command, for which somebody waits already or not. */
  #put(name: string, args: Arguments, expects: number, waiting: Promise<unknown> | undefined): Promise<unknown> {
    const promise = ops.command(this.#link, name, args, expects, waiting);
    if (!this.#isOld && expects < EXPECTS_GIVEN) return promise;
    const give = (value: unknown): unknown => {
      if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
      if (expects === EXPECTS_BOOLEAN) return value === 1 || value === true;
      return this.#isOld ? resultOf(name, args, value) : value;
    };
    const handled = new Handled(
      (value) => resolvePromise(promise, give(value)),
      (error) => rejectPromise(promise, error),
    );
    this.#sent.push(handled);
    return promise;
  }

  /** A command that cannot be sent now. */
  #add(waiting: Waiting): void {
    const { promise } = waiting;
    if (this.#state === CLOSED) {
      rejectPromise(promise, ended());
      return;
    }
    this.#askedFor();
    const { enableOfflineQueue } = this.#options;
    if (enableOfflineQueue) {
      this.#waiting.push({ ...waiting, args: kept(waiting.args) });
      this.#timer?.ref();
    } else rejectPromise(promise, offline());
    if (this.#state === IDLE) this.#open();
  }

  #flushLater(): void {
    if (!this.#options.enableAutoPipelining) return this.#flush();
    this.#flushes = true;
    queueMicrotask(this.#flush);
  }

  /**
   * Commands that run as one: those called on the result, by `exec()`. They are sent together between MULTI and EXEC; none runs if one is
   * refused.
   */
  multi(): Transaction {
    return new Transaction((list) => this.#transact(list));
  }

  async #transact(list: readonly Queued[]): Promise<unknown> {
    if (this.#cluster !== undefined) {
      if (this.#state === CLOSED) throw ended();
      const named = list.map(({ command, args }) => ({ name: command.name, args }));
      return this.#cluster.transact(named, (member) => (member as ClusterMember).client.#transact(list));
    }
    const begun = this.#send("MULTI", [], EXPECTS_ANY);
    // What is refused makes EXEC fail, which says so.
    let refusal: unknown;
    const refused = (error: unknown): void => {
      refusal ??= error;
    };
    for (const { command, args } of list) this.#send(command.name, args, EXPECTS_ANY).catch(refused);
    try {
      const [, replies] = await Promise.all([begun, this.#send("EXEC", [], EXPECTS_ANY)]);
      return replies;
    } catch (error) {
      if (refusal !== undefined && error instanceof RedisError && error.message.startsWith("EXECABORT"))
        Object.defineProperty(error, "cause", { value: refusal, writable: true, configurable: true });
      throw error;
    }
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
    if (this.#cluster !== undefined) {
      const text = `RedisClient.prototype.${kind} is not implemented for a cluster: use a client of one of its servers.`;
      throw new RedisError("INVALID_STATE", text);
    }
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
  #request(kind: SubscriptionKind, channels: string[]): void {
    this.#askedFor();
    if (this.#state === READY) {
      this.#ask(kind, channels);
      if (!this.#flushes) this.#flushLater();
      this.#hold();
    } else if (this.#state === CLOSED) {
      this.#subscriptions.rejectAll(ended());
      this.#subscriptions.clear();
    } else if (this.#state === IDLE) this.#open();
    // Else the new connection subscribes to all.
  }

  /** Writes what is answered by messages, one for each channel, or by an error. */
  #ask(kind: SubscriptionKind, channels: string[]): void {
    ops.ask(this.#link, kind.toUpperCase(), channels, EXPECTS_MESSAGES);
    this.#sent.push(new Subscribing((error) => this.#subscriptions.refuse(kind, channels, error)));
  }

  static {
    const methods = RedisClient.prototype as unknown as Record<string, unknown>;
    for (const command of commands) methods[command.method] = RedisClient.#methodOf(command);
  }

  /** The method of a command. Those of one and two strings, which are most, go without a list of arguments being read. */
  static #methodOf(command: Command): unknown {
    const { method, name, plain } = command;
    const expects = expectsOf(command);
    if (plain === 1) {
      return {
        [method](this: RedisClient, first: unknown) {
          if (typeof first === "string" && this.#subscriptions.size === 0) return this.#send(name, first, expects);
          return this.#call(command, [first]);
        },
      }[method];
    }
    if (plain === 2) {
      return {
        [method](this: RedisClient, first: unknown, second: unknown, ...rest: unknown[]) {
          const isPlain = typeof first === "string" && typeof second === "string" && rest.length === 0;
          if (isPlain && this.#subscriptions.size === 0) return this.#send(name, [first, second], expects);
          return this.#call(command, [first, second, ...rest]);
        },
      }[method];
    }
    return {
      [method](this: RedisClient, ...values: unknown[]) {
        return this.#call(command, values);
      },
    }[method];
  }
}

/** The reply of a server to one command, over a connection of its own. */
async function askOnce(url: string, timeout: number, command: string, args: string[]): Promise<unknown> {
  const client = new RedisClient(url, { autoReconnect: false, connectionTimeout: timeout });
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new RedisError("CONNECTION_TIMEOUT", "It does not answer")), timeout);
    });
    return await Promise.race([client.send(command, args), late]);
  } finally {
    clearTimeout(timer);
    client.close();
  }
}

Object.defineProperty(RedisClient.prototype, Symbol.toStringTag, { value: "RedisClient", configurable: true });
