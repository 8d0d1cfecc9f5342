// net.BlockList and net.SocketAddress (https://nodejs.org/api/net.html).

import { codes } from "internal/core/errors";
import { kClone, Packed } from "internal/worker/messaging/hooks";
import { isIP } from "internal/net/ip";
import { customInspectSymbol } from "internal/core/util";
import { validateInt32, validateObject, validatePort, validateString, validateUint32 } from "internal/core/validators";

import type { InspectContext } from "internal/util/inspect_types";

const kAddress = Symbol("address");

/** The number of an address: 32 bits for IPv4, 128 for IPv6. */
function toNumber(address: string, family: string): bigint {
  if (family === "ipv4") return address.split(".").reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  const groups = new URL(`http://[${address.replace(/%.*/, "")}]`).hostname.slice(1, -1).split("::");
  const left = groups[0] ? groups[0].split(":") : [];
  const right = groups[1] ? groups[1].split(":") : [];
  const middle = groups.length > 1 ? Array(8 - left.length - right.length).fill("0") : [];
  return [...left, ...middle, ...right].reduce((sum, part) => sum * 65536n + BigInt(`0x${part}`), 0n);
}

function checkFamily(family: string): string {
  family = family?.toLowerCase();
  if (family !== "ipv4" && family !== "ipv6") throw new codes.ERR_INVALID_ARG_VALUE("options.family", family);
  return family;
}

function checkAddress(address: string, family: string, name: string): void {
  validateString(address, name);
  if (isIP(address) !== (family === "ipv4" ? 4 : 6)) throw new codes.ERR_INVALID_ADDRESS();
}

interface AddressParts {
  address: string;
  port: number;
  family: string;
  flowlabel: number;
}

/** An immutable address with a port. */
export class SocketAddress {
  [kAddress]: AddressParts;

  constructor(options: Partial<AddressParts> = {}) {
    validateObject(options, "options");
    let { family = "ipv4" } = options;
    if (typeof family?.toLowerCase === "function") family = family.toLowerCase();
    if (family !== "ipv4" && family !== "ipv6") throw new codes.ERR_INVALID_ARG_VALUE("options.family", options.family);
    const { address = family === "ipv4" ? "127.0.0.1" : "::", port = 0, flowlabel = 0 } = options;
    validateString(address, "options.address");
    validatePort(port, "options.port");
    validateUint32(flowlabel, "options.flowlabel");
    if (isIP(address) !== (family === "ipv4" ? 4 : 6)) throw new codes.ERR_INVALID_ADDRESS();
    this[kAddress] = { address, port: +port, family, flowlabel: family === "ipv6" ? flowlabel : 0 };
    Object.defineProperty(this, kAddress, { enumerable: false });
  }

  static isSocketAddress(value: unknown): value is SocketAddress {
    return (value as SocketAddress | null | undefined)?.[kAddress] !== undefined;
  }

  /** `1.2.3.4:80`, `[::1]:80`; undefined for other text. */
  static parse(input: string): SocketAddress | undefined {
    validateString(input, "input");
    try {
      const { hostname, port } = new URL(`http://${input}`);
      if (hostname.startsWith("[") && hostname.endsWith("]")) {
        return new SocketAddress({
          address: hostname.slice(1, -1),
          port: port === "" ? 0 : Number(port),
          family: "ipv6",
        });
      }
      return new SocketAddress({ address: hostname, port: port === "" ? 0 : Number(port) });
    } catch {
      return undefined;
    }
  }

  get address(): string {
    return this[kAddress].address;
  }

  get port(): number {
    return this[kAddress].port;
  }

  get family(): string {
    return this[kAddress].family;
  }

  get flowlabel(): number {
    return this[kAddress].flowlabel;
  }

  toJSON(): AddressParts {
    return { ...this[kAddress] };
  }

  [kClone](): Packed {
    return { module: "internal/net/blocklist", name: "receiveAddress", data: { ...this[kAddress] } };
  }

  [customInspectSymbol](depth: number, options: InspectContext): string {
    if (depth < 0) return "[SocketAddress]";
    const { inspect } = require("internal/util/inspect");
    return `SocketAddress ${inspect(this.toJSON(), { ...options, depth: options.depth === null ? null : options.depth - 1 })}`;
  }
}

export function receiveAddress(data: AddressParts): SocketAddress {
  return new SocketAddress(data);
}

interface Rule {
  family: string;
  from: bigint;
  to: bigint;
  text: string;
}

const kRules = Symbol("rules");
const kShared = Symbol("shared");

/**
 * The rules that a list and its clones have in common, also those of other threads: texts of rules, each with a line feed, in the order
 * in which they were added. Nothing is taken out, so each list only reads what it has not seen.
 */
class SharedRules {
  readonly memory: SharedArrayBuffer;
  #head: Int32Array;
  #seen = 0;

  /** Memory of other lists, or new memory for so many bytes and more. */
  constructor(memory?: SharedArrayBuffer, bytes = 0) {
    this.memory = memory ?? new SharedArrayBuffer(HEAD, { maxByteLength: HEAD + Math.max(4 * bytes, LEAST_ROOM) });
    this.#head = new Int32Array(this.memory, 0, HEAD / 4);
  }

  /** The texts that were added since the last call. */
  news(): string[] {
    const end = Atomics.load(this.#head, LENGTH);
    if (end === this.#seen) return [];
    const bytes = new Uint8Array(this.memory, HEAD + this.#seen, end - this.#seen).slice();
    this.#seen = end;
    return new TextDecoder().decode(bytes).split("\n").slice(0, -1);
  }

  add(text: string): void {
    const bytes = new TextEncoder().encode(`${text}\n`);
    while (Atomics.compareExchange(this.#head, LOCK, 0, 1) !== 0) Atomics.wait(this.#head, LOCK, 1, 1);
    try {
      const end = Atomics.load(this.#head, LENGTH);
      if (HEAD + end + bytes.length > this.memory.byteLength) {
        this.memory.grow(Math.min(this.memory.maxByteLength, HEAD + 2 * (end + bytes.length)));
      }
      new Uint8Array(this.memory, HEAD + end).set(bytes);
      Atomics.store(this.#head, LENGTH, end + bytes.length);
    } finally {
      Atomics.store(this.#head, LOCK, 0);
      Atomics.notify(this.#head, LOCK);
    }
  }
}

/** Bytes in front of the texts, and words there. */
const HEAD = 8;
const LOCK = 0;
const LENGTH = 1;
/** Room for rules that are added after the first clone: about 400,000. It is address space until it is used. */
const LEAST_ROOM = 16 << 20;

function given(address: unknown, family: unknown, name = "address"): [string, string] {
  if (SocketAddress.isSocketAddress(address)) return [address.address, address.family];
  validateString(address, name);
  validateString(family, "family");
  const kind = checkFamily(family);
  checkAddress(address, kind, name);
  return [address, kind];
}

/** Addresses, ranges and subnets to refuse. */
export class BlockList {
  [kRules]: Rule[];
  /** Once the list was cloned, or is a clone. */
  [kShared]?: SharedRules;

  constructor() {
    this[kRules] = [];
    Object.defineProperty(this, kRules, { enumerable: false });
  }

  static isBlockList(value: unknown): value is BlockList {
    return (value as BlockList | null | undefined)?.[kRules] !== undefined;
  }

  addAddress(address: string, family: string = "ipv4"): void {
    const { 0: text, 1: kind } = given(address, family);
    const number = toNumber(text, kind);
    add(this, { family: kind, from: number, to: number, text: `Address: ${label(kind)} ${text}` });
  }

  addRange(start: string, end: string, family: string = "ipv4"): void {
    const { 0: first, 1: kind } = given(start, family, "start");
    const { 0: last } = given(end, family, "end");
    const from = toNumber(first, kind);
    const to = toNumber(last, kind);
    if (from > to) throw new codes.ERR_INVALID_ARG_VALUE("start", start, "must come before end");
    add(this, { family: kind, from, to, text: `Range: ${label(kind)} ${first}-${last}` });
  }

  addSubnet(network: string, prefix: number, family: string = "ipv4"): void {
    const { 0: text, 1: kind } = given(network, family, "network");
    const bits = kind === "ipv4" ? 32 : 128;
    validateInt32(prefix, "prefix", 0, bits);
    const host = (1n << BigInt(bits - prefix)) - 1n;
    const number = toNumber(text, kind);
    add(this, {
      family: kind,
      from: number & ~host,
      to: number | host,
      text: `Subnet: ${label(kind)} ${text}/${prefix}`,
    });
  }

  check(address: string | SocketAddress, family: string = "ipv4"): boolean {
    let text: string;
    let kind: string;
    if (SocketAddress.isSocketAddress(address)) {
      ({ address: text, family: kind } = address);
    } else {
      validateString(address, "address");
      validateString(family, "family");
      kind = checkFamily(family);
      text = address;
      if (isIP(text) !== (kind === "ipv4" ? 4 : 6)) return false;
    }
    const number = toNumber(text, kind);
    const rules = upToDate(this);
    const within = (k: string, n: bigint) => rules.some((rule) => rule.family === k && n >= rule.from && n <= rule.to);
    if (within(kind, number)) return true;
    // An IPv4 address inside IPv6 (::ffff:0:0/96) is the same one.
    if (kind === "ipv6" && number >> 32n === 0xffffn) return within("ipv4", number & 0xffffffffn);
    return kind === "ipv4" && within("ipv6", 0xffff00000000n | number);
  }

  get rules(): string[] {
    return upToDate(this).map((rule) => rule.text);
  }

  toJSON(): string[] {
    return this.rules;
  }

  [kClone](): Packed {
    if (this[kShared] === undefined) {
      const rules = this[kRules].toReversed();
      const shared = new SharedRules(
        undefined,
        rules.reduce((sum, { text }) => sum + text.length + 1, 0),
      );
      for (const { text } of rules) shared.add(text);
      shared.news();
      hold(this, shared);
    }
    return { module: "internal/net/blocklist", name: "receiveBlockList", data: this[kShared]!.memory };
  }

  /** Adds rules in the form of toJSON(), the first one first: they are shown newest first, so that a copy has them in reverse (Node). */
  fromJSON(data: unknown): void {
    const list = typeof data === "string" ? JSON.parse(data) : data;
    if (!Array.isArray(list) || list.some((rule) => typeof rule !== "string"))
      throw new codes.ERR_INVALID_ARG_TYPE("value", ["string", "string[]"], data);
    for (const rule of list) addText(this, rule);
  }

  [customInspectSymbol](depth: number, options: InspectContext): string {
    if (depth < 0) return "[BlockList]";
    const { inspect } = require("internal/util/inspect");
    return `BlockList ${inspect({ rules: this.rules }, { ...options, depth: options.depth === null ? null : options.depth - 1 })}`;
  }
}

export function receiveBlockList(memory: SharedArrayBuffer): BlockList {
  const list = new BlockList();
  hold(list, new SharedRules(memory));
  return list;
}

function hold(list: BlockList, shared: SharedRules): void {
  Object.defineProperty(list, kShared, { value: shared, configurable: true, writable: true });
}

function add(list: BlockList, rule: Rule): void {
  if (list[kShared] === undefined) list[kRules].unshift(rule);
  else list[kShared].add(rule.text);
}

/** The rules, newest first, with those that clones have added. */
function upToDate(list: BlockList): Rule[] {
  const shared = list[kShared];
  const news = shared?.news() ?? [];
  if (news.length > 0) {
    list[kShared] = undefined;
    for (const text of news) addText(list, text);
    list[kShared] = shared;
  }
  return list[kRules];
}

/** Adds a rule in the form that it is shown in; other text is no rule. */
function addText(list: BlockList, rule: string): void {
  let match = /^Subnet: (IPv[46]) (.+)\/(\d+)$/.exec(rule);
  if (match) return list.addSubnet(match[2], Number(match[3]), match[1]!.toLowerCase());
  match = /^Range: (IPv[46]) ([^-]+)-(.+)$/.exec(rule);
  if (match) return list.addRange(match[2], match[3], match[1]!.toLowerCase());
  match = /^Address: (IPv[46]) (.+)$/.exec(rule);
  if (match) list.addAddress(match[2], match[1]!.toLowerCase());
}

function label(kind: string): string {
  return kind === "ipv4" ? "IPv4" : "IPv6";
}
