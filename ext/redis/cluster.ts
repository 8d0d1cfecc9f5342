/** A cluster: commands go to the server that has the slot of their key (https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/). */

import { RedisError } from "internal/redis/errors";
import type { Arguments, Place } from "internal/redis/types";

const SLOTS = 16_384;
/** Redirections and tries of one command. */
const MAX_TRIES = 16;
/** Milliseconds before the next try of what the cluster cannot do just now, and most: a fail-over takes some seconds. */
const FIRST_PAUSE = 50;
const LAST_PAUSE = 500;

/** What is used of the client of one server. */
export interface Member {
  readonly isReady: boolean;
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

const pause = (tries: number): Promise<void> =>
  new Promise((done) => setTimeout(done, Math.min(FIRST_PAUSE * 2 ** tries, LAST_PAUSE)));

export class Cluster {
  #seeds: Place[];
  #make: (place: Place) => Member;
  #members = new Map<string, Member>();
  /** Addresses by slots. */
  #slots: (string | undefined)[] = [];
  /** Places of first keys, by commands; 0 for none. */
  #firstKeys = new Map<string, number>();
  #loading: Promise<void> | undefined = undefined;
  isLoaded = false;

  constructor(seeds: Place[], make: (place: Place) => Member) {
    this.#seeds = seeds;
    this.#make = make;
  }

  #member(address: string): Member {
    let member = this.#members.get(address);
    if (member === undefined) {
      const colon = address.lastIndexOf(":");
      member = this.#make({ host: address.slice(0, colon), port: Number(address.slice(colon + 1)) });
      this.#members.set(address, member);
    }
    return member;
  }

  /** Asks where the slots are; those who ask meanwhile wait for the same answer. */
  load(): Promise<void> {
    return (this.#loading ??= this.#load().finally(() => (this.#loading = undefined)));
  }

  async #load(): Promise<void> {
    const seeds = this.#seeds.map(({ host, port }) => `${host}:${port}`);
    let failure: unknown;
    for (const address of new Set([...this.#members.keys(), ...seeds])) {
      try {
        const member = this.#member(address);
        await member.ready();
        if (this.#firstKeys.size === 0) this.#learn(await member.send("COMMAND", [], 0));
        this.#place(await member.send("CLUSTER", ["SLOTS"], 0), address.slice(0, address.lastIndexOf(":")));
        this.isLoaded = true;
        return;
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
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
      slots.fill(`${master[0] || asked}:${master[1]}`, from, to + 1);
    }
    this.#slots = slots;
    const known = new Set([...slots, ...this.#seeds.map(({ host, port }) => `${host}:${port}`)]);
    for (const [address, member] of this.#members) {
      if (known.has(address)) continue;
      this.#members.delete(address);
      member.close();
    }
  }

  /** The server for a command: that of its first key; whatever one for a command without. */
  #memberFor(name: string, args: Arguments): Member {
    const command = name.toUpperCase();
    const first = this.#firstKeys.get(command) ?? 0;
    const at = first > 0 ? first - 1 : movingKey(command, args);
    const key = typeof args === "string" ? (at === 0 ? args : undefined) : args[at];
    if (key === undefined) return this.#member(this.#slots.find((address) => address !== undefined)!);
    const slot = slotOf(key);
    const address = this.#slots[slot];
    if (address === undefined) throw new RedisError("SERVER_ERROR", `CLUSTERDOWN No server has the slot ${slot}`);
    return this.#member(address);
  }

  /** The connected client for a command. */
  async memberFor(name: string, args: Arguments): Promise<Member> {
    if (!this.isLoaded) await this.load();
    const member = this.#memberFor(name, args);
    if (!member.isReady) await member.ready();
    return member;
  }

  /** Sends a command to the server of its key and follows redirections. What was sent and not answered is not sent again. */
  async send(name: string, args: Arguments, expects: number): Promise<unknown> {
    let asked: Member | undefined;
    for (let tries = 1; ; tries++) {
      let member: Member;
      try {
        if (!this.isLoaded) await this.load();
        member = asked ?? this.#memberFor(name, args);
        if (!member.isReady) await member.ready();
      } catch (error) {
        // The server may be gone, and another one have its slots soon.
        if (tries >= MAX_TRIES) throw error;
        asked = undefined;
        await pause(tries);
        await this.load().catch(() => {});
        continue;
      }
      try {
        return await (asked === undefined ? member.send(name, args, expects) : member.sendAsking(name, args, expects));
      } catch (error) {
        if (!(error instanceof RedisError) || error.code !== "ERR_REDIS_SERVER_ERROR" || tries >= MAX_TRIES)
          throw error;
        asked = await this.#redirected(error, tries);
      }
    }
  }

  /** Where a command goes next that a server has refused; undefined for the server of its slot. Throws the error if that is not the matter. */
  async #redirected(error: RedisError, tries: number): Promise<Member | undefined> {
    const [, kind, slot, address] = /^(MOVED|ASK) (\d+) (\S+:\d+)$/.exec(error.message) ?? [];
    if (kind === "ASK") return this.#member(address!);
    if (kind === "MOVED") {
      this.#slots[Number(slot)] = address;
      // Others have moved with it, most likely.
      void this.load().catch(() => {});
      return undefined;
    }
    if (!/^(?:TRYAGAIN|CLUSTERDOWN|LOADING|MASTERDOWN)\b/.test(error.message)) throw error;
    await pause(tries);
    await this.load().catch(() => {});
    return undefined;
  }

  close(): void {
    for (const member of this.#members.values()) member.close();
    this.#members.clear();
    this.isLoaded = false;
  }
}
