/** A cluster: commands go to the server that has the slot of their key (https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/). */

import { kept } from "internal/redis/commands";
import { closed, offline, RedisError } from "internal/redis/errors";
import type { Argument, Arguments, Place } from "internal/redis/types";

const SLOTS = 16_384;
/** Redirections and refusals of one command. */
const MAX_TRIES = 16;
/** Milliseconds before the next try of what the cluster cannot do just now, and most: a fail-over takes some seconds. */
const FIRST_PAUSE = 50;
const LAST_PAUSE = 2000;
/** What a server says that may take the command soon. */
const TRANSIENT = /^(?:TRYAGAIN|CLUSTERDOWN|LOADING|MASTERDOWN)\b/;

/** What is used of the client of one server. */
export interface Member {
  readonly host: string;
  readonly isReady: boolean;
  /** Commands wait for their replies. */
  readonly isBusy: boolean;
  /** Bytes of commands that the system has not taken. */
  readonly bufferedAmount: number;
  /** Connects, unless it is connected. */
  ready(): Promise<unknown>;
  send(name: string, args: Arguments, expects: number): Promise<unknown>;
  /** Sends a command for a slot that is being moved to this server. */
  sendAsking(name: string, args: Arguments, expects: number): Promise<unknown>;
  close(): void;
}

/** CRC16 of XMODEM. */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000) !== 0 ? ((crc << 1) ^ 0x1021) & 0xffff : crc << 1;
  }
  return crc;
}

/** The slot of a key: that of what stands between its first braces, if there is something. */
function slotOf(key: string | Uint8Array): number {
  const bytes = typeof key === "string" ? Buffer.from(key) : Buffer.from(key.buffer, key.byteOffset, key.byteLength);
  const open = bytes.indexOf(0x7b);
  const close = open < 0 ? -1 : bytes.indexOf(0x7d, open + 1);
  return crc16(close > open + 1 ? bytes.subarray(open + 1, close) : bytes) % SLOTS;
}

/** Place of the first key among the arguments of commands whose keys move, and of those with a second word. */
function movingKey(name: string, args: Arguments): number {
  if (typeof args === "string") return -1;
  switch (name) {
    case "EVAL":
    case "EVALSHA":
    case "EVAL_RO":
    case "EVALSHA_RO":
    case "FCALL":
    case "FCALL_RO":
      return Number(args[1]) > 0 ? 2 : -1;
    case "XREAD":
    case "XREADGROUP":
      return args.findIndex((word) => typeof word === "string" && word.toUpperCase() === "STREAMS") + 1 || -1;
    case "BLMPOP":
    case "BZMPOP":
    case "MIGRATE":
      return 2;
    case "ZUNION":
    case "ZINTER":
    case "ZDIFF":
    case "ZINTERCARD":
    case "SINTERCARD":
    case "LMPOP":
    case "ZMPOP":
    case "XGROUP":
    case "XINFO":
    case "OBJECT":
    case "MEMORY":
      return 1;
    default:
      return -1;
  }
}

/** What a cluster needs of the client that has it. */
interface Owner {
  /** Whether commands wait while no server answers. */
  waits: boolean;
  /** How often a server is tried again that does not answer, before the commands that wait are rejected. */
  maxRetries: number;
  /** The client of one server, which connects when it is needed. */
  make(place: Place): Member;
  /** A server has told where the slots are, and none had before. */
  opened(): void;
  /** No server tells any more, or not even at first. */
  failed(error: Error): void;
}

/** A command of a transaction. */
interface Named {
  name: string;
  args: Arguments;
}

const asAddress = ({ host, port }: Place): string => `${host}:${port}`;

/** A host that a server tells: one that it does not know is that of the server itself, at `asked`. */
const hostOf = (told: string | null | undefined, asked: string): string => (told && told !== "?" ? told : asked);

/** Whether another try, or another server, would say the same. */
const isFinal = (error: unknown): boolean =>
  error instanceof RedisError &&
  (error.code === "ERR_REDIS_AUTHENTICATION_FAILED" ||
    (error.code === "ERR_REDIS_SERVER_ERROR" && !TRANSIENT.test(error.message)));

/** Why a server has run nothing of a transaction; undefined if it may have, or that is not known. */
function refusalOf(error: unknown): RedisError | undefined {
  if (!(error instanceof RedisError)) return undefined;
  // Of EXEC itself: the server has thrown the commands away.
  if (/^(?:MOVED|ASK|TRYAGAIN) /.test(error.message)) return error;
  if (!error.message.startsWith("EXECABORT")) return undefined;
  return error.cause instanceof RedisError ? error.cause : undefined;
}

const pause = (tries: number): Promise<void> =>
  new Promise((done) => setTimeout(done, Math.min(FIRST_PAUSE * 2 ** tries, LAST_PAUSE)));

export class Cluster {
  #seeds: Place[];
  #owner: Owner;
  #members = new Map<string, Member>();
  /** Addresses by slots. */
  #slots: (string | undefined)[] = [];
  /** Places of first keys, by commands; 0 for none. */
  #firstKeys = new Map<string, number>();
  #loading: Promise<void> | undefined = undefined;
  /** Counts calls of `close`: what was begun before ends with them. */
  #era = 0;
  /** Servers that watch keys for their next transaction. */
  readonly #watching = new Set<Member>();
  /** The owner was told that no server answers. */
  #isFailed = false;
  isLoaded = false;

  constructor(seeds: Place[], owner: Owner) {
    this.#seeds = seeds;
    this.#owner = owner;
  }

  /** Throws the error of what was begun before `close`. */
  #check(era: number): void {
    if (era !== this.#era) throw closed();
  }

  #member(address: string): Member {
    let member = this.#members.get(address);
    if (member === undefined) {
      const colon = address.lastIndexOf(":");
      member = this.#owner.make({ host: address.slice(0, colon), port: Number(address.slice(colon + 1)) });
      this.#members.set(address, member);
    }
    return member;
  }

  /** Asks where the slots are; those who ask meanwhile wait for the same answer. */
  load(): Promise<void> {
    if (this.#loading !== undefined) return this.#loading;
    const era = this.#era;
    const end = (): void => {
      if (era === this.#era) this.#loading = undefined;
    };
    return (this.#loading = this.#load(era).finally(end));
  }

  /** Asks where the slots are, and tells the owner anew if nobody answers. */
  connect(): Promise<void> {
    this.#isFailed = false;
    return this.load();
  }

  async #load(era: number): Promise<void> {
    const seeds = this.#seeds.map(asAddress);
    let failure: unknown;
    for (const address of new Set([...this.#members.keys(), ...seeds])) {
      this.#check(era);
      try {
        const member = this.#member(address);
        await member.ready();
        if (this.#firstKeys.size === 0) this.#learn(await member.send("COMMAND", [], 0));
        const slots = await member.send("CLUSTER", ["SLOTS"], 0);
        this.#check(era);
        this.#place(slots, member.host);
        return this.#opened();
      } catch (error) {
        failure = error;
      }
    }
    this.#check(era);
    this.isLoaded = false;
    if (!this.#isFailed) this.#owner.failed(failure as Error);
    this.#isFailed = true;
    throw failure;
  }

  #opened(): void {
    const wasLoaded = this.isLoaded;
    this.isLoaded = true;
    this.#isFailed = false;
    if (!wasLoaded) this.#owner.opened();
  }

  /** What COMMAND says of each: `[name, arity, flags, first key, ...]`. */
  #learn(commands: unknown): void {
    for (const [name, , , first] of commands as [string, number, unknown, number][]) {
      this.#firstKeys.set(name.toUpperCase(), first);
    }
  }

  /** What CLUSTER SLOTS says: `[from, to, [host, port, ...], replicas...]`. A host that is not told is that of the server asked. */
  #place(ranges: unknown, asked: string): void {
    const slots: (string | undefined)[] = new Array(SLOTS);
    for (const [from, to, master] of ranges as [number, number, [string | null, number]][]) {
      slots.fill(asAddress({ host: hostOf(master[0], asked), port: master[1] }), from, to + 1);
    }
    this.#slots = slots;
    const known = new Set([...slots, ...this.#seeds.map(asAddress)]);
    for (const [address, member] of this.#members) {
      // Who has told this may have heard of a server last.
      if (known.has(address) || member.isBusy) continue;
      this.#members.delete(address);
      member.close();
    }
  }

  /** The first key of a command; undefined for a command without. */
  #keyOf(name: string, args: Arguments): Argument | undefined {
    const command = name.toUpperCase();
    const first = this.#firstKeys.get(command) ?? 0;
    const at = first > 0 ? first - 1 : movingKey(command, args);
    return typeof args === "string" ? (at === 0 ? args : undefined) : args[at];
  }

  /** The server of a key, or whatever one. */
  #memberOf(key: Argument | undefined): Member {
    const slot = key === undefined ? undefined : slotOf(key);
    const address = slot === undefined ? this.#slots.find((one) => one !== undefined) : this.#slots[slot];
    if (address !== undefined) return this.#member(address);
    const what = slot === undefined ? "a slot" : `the slot ${slot}`;
    throw new RedisError("SERVER_ERROR", `CLUSTERDOWN No server has ${what}`);
  }

  /** Ends what may not wait for a server to answer. The connection is made all the same, for what comes next. */
  #needConnection(): void {
    if (this.isLoaded || this.#owner.waits) return;
    void this.load().catch(() => {});
    throw offline();
  }

  /** The connected server that `pick` chooses; waits as long as the options allow while it does not answer. Nothing is sent twice by this. */
  async #connected(era: number, pick: () => Member): Promise<Member> {
    this.#needConnection();
    for (let tries = 0; ; tries++) {
      try {
        if (!this.isLoaded) await this.load();
        this.#check(era);
        const member = pick();
        if (!member.isReady) await member.ready();
        return member;
      } catch (error) {
        this.#check(era);
        // The server may be gone, and another one have its slots soon.
        if (tries >= this.#owner.maxRetries || !this.#owner.waits || isFinal(error)) throw error;
      }
      await this.#wait(tries, era);
    }
  }

  /**
   * Runs commands as one on the server of the first key among them; keys of other slots are its to refuse. They are sent again if the server
   * has run none of them since their slot is elsewhere or is being moved, unless a key is watched: another server would not know. After
   * other failures the cluster is asked where the slots are, for the next ones.
   */
  async transact<T>(commands: readonly Named[], run: (member: Member) => Promise<T>): Promise<T> {
    const era = this.#era;
    const pick = (): Member => {
      let key: Argument | undefined;
      for (const { name, args } of commands) if ((key = this.#keyOf(name, args)) !== undefined) break;
      return this.#memberOf(key);
    };
    for (let tries = 1; ; tries++) {
      const member = await this.#connected(era, pick);
      this.#check(era);
      // It was let go meanwhile.
      if (!member.isReady) continue;
      const isWatching = this.#watching.size > 0;
      this.#watching.delete(member);
      try {
        return await run(member);
      } catch (error) {
        if (era !== this.#era) throw error;
        const refusal = refusalOf(error);
        if (refusal === undefined || isWatching || tries >= MAX_TRIES) {
          await this.load().catch(() => {});
          throw error;
        }
        const target = await this.#redirected(refusal, member.host, tries, era, error);
        // A part of the keys may have been moved already: only the one server that has all can run the commands.
        if (target !== undefined) await this.#wait(tries, era);
      }
    }
  }

  /** Sends a command to the server of its key and follows redirections. What was sent and not answered is not sent again. */
  async send(name: string, args: Arguments, expects: number): Promise<unknown> {
    const era = this.#era;
    args = kept(args);
    const command = name.toUpperCase();
    let asked: Member | undefined;
    for (let tries = 1; ; tries++) {
      let isAsking = false;
      // A server that does not answer is not asked for what moves to it: the one of the slot tells anew where it is.
      const pick = (): Member => {
        const next = asked;
        asked = undefined;
        isAsking = next !== undefined;
        return next ?? this.#memberOf(this.#keyOf(name, args));
      };
      const member = await this.#connected(era, pick);
      this.#check(era);
      // It was let go meanwhile.
      if (!member.isReady) continue;
      if (command === "WATCH") this.#watching.add(member);
      else if (command === "UNWATCH") this.#watching.delete(member);
      try {
        return await (isAsking ? member.sendAsking(name, args, expects) : member.send(name, args, expects));
      } catch (error) {
        if (!(error instanceof RedisError) || error.code !== "ERR_REDIS_SERVER_ERROR" || tries >= MAX_TRIES)
          throw error;
        this.#check(era);
        asked = await this.#redirected(error, member.host, tries, era);
      }
    }
  }

  /** Waits before the next try, and asks where the slots are by then. */
  async #wait(tries: number, era: number): Promise<void> {
    await pause(tries);
    this.#check(era);
    // Else the next try asks.
    if (this.isLoaded) await this.load().catch(() => {});
    this.#check(era);
  }

  /**
   * Where a command goes next that the server at `from` has refused; undefined for the server of its slot. Throws the error (`thrown`) if
   * that is not the matter.
   */
  async #redirected(
    error: RedisError,
    from: string,
    tries: number,
    era: number,
    thrown: unknown = error,
  ): Promise<Member | undefined> {
    const [, kind, slot, host, port] = /^(MOVED|ASK) (\d+) (\S*):(\d+)$/.exec(error.message) ?? [];
    const address = asAddress({ host: hostOf(host, from), port: Number(port) });
    if (kind === "ASK") return this.#member(address);
    if (kind === "MOVED") {
      this.#slots[Number(slot)] = address;
      // Others have moved with it, most likely.
      void this.load().catch(() => {});
      return undefined;
    }
    if (!TRANSIENT.test(error.message)) throw thrown;
    await this.#wait(tries, era);
    return undefined;
  }

  /** Bytes of commands that the system has not taken, of all servers. */
  get bufferedAmount(): number {
    let sum = 0;
    for (const member of this.#members.values()) sum += member.bufferedAmount;
    return sum;
  }

  /** Ends the connections and what waits for them; false if there was nothing to end. */
  close(): boolean {
    const wasOpen = this.isLoaded || this.#loading !== undefined;
    this.#era++;
    this.#loading = undefined;
    this.isLoaded = false;
    for (const member of this.#members.values()) member.close();
    this.#members.clear();
    this.#watching.clear();
    return wasOpen;
  }
}
