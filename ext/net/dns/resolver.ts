// dns.Resolver: questions to name servers over UDP, over TCP where an answer does not fit.

import { asResource } from "internal/events/async_context";
import { codes } from "internal/core/errors";
import { decode, encodeQuery, types } from "internal/net/dns/message";
import { orDenied } from "internal/net/denied";
import { isIP } from "internal/net/ip";
import { UDP } from "internal/net/native";
import {
  validateArray,
  validateFunction,
  validateInt32,
  validateString,
  validateUint32,
} from "internal/core/validators";

import type { Timeout } from "internal/core/timers";
import type { DnsAnswer, DnsRecord } from "internal/net/dns/message";
import type { Socket } from "internal/net/types";

const net = native("net");

// Names of c-ares for the codes of responses.
const responseCodes: Record<number, string> = {
  1: "EFORMERR",
  2: "ESERVFAIL",
  3: "ENOTFOUND",
  4: "ENOTIMP",
  5: "EREFUSED",
};

function dnsError(code: string, syscall: string, hostname: string): CodedError {
  const error: NodeError = new Error(`${syscall} ${code}${hostname ? ` ${hostname}` : ""}`);
  error.errno = undefined;
  error.code = code;
  error.syscall = syscall;
  if (hostname) error.hostname = hostname;
  return error as CodedError;
}

/** `[address, port]` of `1.2.3.4`, `1.2.3.4:53`, `::1`, `[::1]:53`; undefined for other text. */
function parseServer(text: string): [string, number] | undefined {
  if (isIP(text)) return [text, 53];
  const match = /^\[([^[\]]*)\](?::(\d+))?$/.exec(text);
  if (match) return isIP(match[1]!) === 6 ? [match[1]!, match[2] ? Number(match[2]) : 53] : undefined;
  const { 1: address, 2: port } = /^(.*?):(\d+)$/.exec(text) ?? [];
  return address !== undefined && isIP(address) === 4 ? [address, Number(port)] : undefined;
}

function systemServers(): [string, number][] {
  let text = "";
  try {
    text = require("node:fs").readFileSync("/etc/resolv.conf", "utf8");
  } catch {
    // Without the file, the name server of this machine is asked.
  }
  const list: [string, number][] = [];
  for (const line of text.split("\n")) {
    const match = /^\s*nameserver\s+(\S+)/.exec(line);
    if (match && isIP(match[1]!)) list.push([match[1]!, 53]);
  }
  return list.length === 0 ? [["127.0.0.1", 53]] : list;
}

/** Takes what a method of a resolver gives. */
type Done = (error: NodeError | null, result?: unknown) => void;
type AnswerDone = (error: CodedError | null, answer?: DnsAnswer) => void;

/** One question on its way; tries the servers in turn. */
class Query {
  resolver: ResolverBase;
  name: string;
  type: number;
  syscall: string;
  done: AnswerDone | undefined;
  id = 0;
  attempt = 0;
  socket: UDP | undefined = undefined;
  stream: Socket | undefined = undefined;
  timer: Timeout | undefined = undefined;
  lastCode = "ECONNREFUSED";

  constructor(resolver: ResolverBase, name: string, type: number, syscall: string, done: AnswerDone) {
    this.resolver = resolver;
    this.name = name;
    this.type = type;
    this.syscall = syscall;
    this.done = asResource(done, "QUERYWRAP") as AnswerDone;
    resolver.queries.add(this);
    this.next();
  }

  private close(): void {
    clearTimeout(this.timer);
    this.socket?.close();
    this.stream?.destroy();
    this.socket = this.stream = undefined;
  }

  finish(code: string | undefined, answer?: DnsAnswer): void {
    this.close();
    const { done } = this;
    if (done === undefined) return;
    this.done = undefined;
    this.resolver.queries.delete(this);
    if (code !== undefined) done(dnsError(code, this.syscall, this.name));
    else done(null, answer);
  }

  next(): void {
    this.close();
    const { servers, tries } = this.resolver;
    if (this.attempt >= servers.length * tries) {
      process.nextTick(() => this.finish(this.lastCode));
      return;
    }
    const { 0: address, 1: port } = servers[this.attempt % servers.length]!;
    const round = Math.floor(this.attempt / servers.length);
    this.attempt++;
    this.id = require("node:crypto").randomInt(65536);
    const message = encodeQuery(this.id, this.name, this.type);
    if (message === undefined) {
      process.nextTick(() => this.finish("EBADNAME"));
      return;
    }
    const family = isIP(address);
    const id = net.udpOpen(family);
    if (id < 0) return this.failed();
    this.socket = new UDP(id);
    const local = family === 6 ? this.resolver.local6 : this.resolver.local4;
    const connected = orDenied(() => {
      if (local !== undefined) net.udpBind(id, local, 0, 0);
      // Only the server asked can answer a connected socket, and its refusals arrive.
      return net.udpConnect(id, address, port);
    });
    if (typeof connected !== "number") {
      process.nextTick(() => this.denied(connected));
      return;
    }
    if (connected < 0) return this.failed();
    this.socket.received = (bytes: ArrayBuffer, errno: number) => {
      if (errno < 0) this.failed();
      else this.received(require("node:buffer").Buffer.from(bytes), address, port);
    };
    net.udpReceive(id, true);
    if (net.udpSend(id, [message], undefined, 0) < 0) return this.failed();
    let wait = this.resolver.timeout * 2 ** round;
    if (this.resolver.maxTimeout > 0) wait = Math.min(wait, this.resolver.maxTimeout);
    this.timer = setTimeout(() => {
      this.lastCode = "ETIMEOUT";
      this.next();
    }, wait);
  }

  private denied(error: CodedError): void {
    this.close();
    const { done } = this;
    this.done = undefined;
    this.resolver.queries.delete(this);
    done?.(error);
  }

  private failed(): void {
    this.lastCode = "ECONNREFUSED";
    this.next();
  }

  private received(bytes: Buffer, address: string, port: number): void {
    let answer: DnsAnswer;
    try {
      answer = decode(bytes);
    } catch {
      if (bytes.length < 2 || ((bytes[0]! << 8) | bytes[1]!) !== this.id) return;
      this.finish("EBADRESP");
      return;
    }
    if (answer.id !== this.id || answer.question.toLowerCase() !== this.name.replace(/\.$/, "").toLowerCase()) return;
    if (answer.truncated) {
      this.overTcp(address, port);
      return;
    }
    this.answered(answer);
  }

  private answered(answer: DnsAnswer): void {
    // Another server may know more.
    if (answer.code === 2 || answer.code === 4 || answer.code === 5) {
      this.lastCode = responseCodes[answer.code]!;
      this.next();
      return;
    }
    if (answer.code !== 0) this.finish(responseCodes[answer.code] ?? "EBADRESP");
    else this.finish(undefined, answer);
  }

  private overTcp(address: string, port: number): void {
    this.socket?.close();
    this.socket = undefined;
    const { Buffer } = require("node:buffer");
    const stream = (this.stream = require("node:net").connect({ host: address, port }));
    let got = Buffer.alloc(0);
    stream.on("error", () => this.failed());
    stream.on("connect", () => {
      const message = encodeQuery(this.id, this.name, this.type)!;
      stream.write(Buffer.concat([Buffer.from([message.length >> 8, message.length & 255]), message]));
    });
    stream.on("data", (chunk: Buffer) => {
      got = Buffer.concat([got, chunk]);
      if (got.length < 2 || got.length < 2 + got.readUInt16BE(0)) return;
      try {
        this.answered(decode(got.subarray(2, 2 + got.readUInt16BE(0))));
      } catch {
        this.finish("EBADRESP");
      }
    });
  }
}

const methods = {
  resolve4: ["A", "queryA"],
  resolve6: ["AAAA", "queryAaaa"],
  resolveAny: ["ANY", "queryAny"],
  resolveCaa: ["CAA", "queryCaa"],
  resolveCname: ["CNAME", "queryCname"],
  resolveMx: ["MX", "queryMx"],
  resolveNaptr: ["NAPTR", "queryNaptr"],
  resolveNs: ["NS", "queryNs"],
  resolvePtr: ["PTR", "queryPtr"],
  resolveSoa: ["SOA", "querySoa"],
  resolveSrv: ["SRV", "querySrv"],
  resolveTlsa: ["TLSA", "queryTlsa"],
  resolveTxt: ["TXT", "queryTxt"],
} satisfies Record<string, [string, string]>;
export type Method = keyof typeof methods;

const typeNames: Record<number, string> = Object.fromEntries(
  Object.entries(types).map(([name, number]) => [number, name]),
);

function anyRecord(record: DnsRecord): object {
  const type = typeNames[record.type];
  switch (type) {
    case "A":
    case "AAAA":
      return { address: record.data, ttl: record.ttl, type };
    case "TXT":
      return { entries: record.data, type };
    case "NS":
    case "CNAME":
    case "PTR":
      return { value: record.data, type };
    default:
      return { ...(record.data as object), type };
  }
}

/** What both kinds of Resolver share. */
class ResolverBase {
  #servers: [string, number][] | undefined = undefined;
  #limits: { timeout: number; tries: number; maxTimeout: number };
  #local: { v4: string | undefined; v6: string | undefined } = { v4: undefined, v6: undefined };
  #queries = new Set<Query>();
  /** What Node calls the channel. Programs read its servers, and replace how. */
  _handle = { getServers: (): [string, number][] => this.servers };

  constructor(options: { timeout?: number; tries?: number; maxTimeout?: number } | undefined = undefined) {
    const { timeout, tries, maxTimeout } = { timeout: -1, tries: 4, maxTimeout: 0, ...options };
    validateInt32(timeout, "options.timeout", -1);
    validateInt32(tries, "options.tries", 1);
    validateUint32(maxTimeout, "options.maxTimeout");
    this.#limits = { timeout: timeout >= 0 ? Math.max(timeout, 1) : 2000, tries, maxTimeout };
  }

  get servers(): [string, number][] {
    return (this.#servers ??= systemServers());
  }

  set servers(list: [string, number][]) {
    this.#servers = list;
  }

  get timeout(): number {
    return this.#limits.timeout;
  }

  get tries(): number {
    return this.#limits.tries;
  }

  get maxTimeout(): number {
    return this.#limits.maxTimeout;
  }

  get local4(): string | undefined {
    return this.#local.v4;
  }

  get local6(): string | undefined {
    return this.#local.v6;
  }

  get queries(): Set<Query> {
    return this.#queries;
  }

  cancel(): void {
    for (const query of [...this.queries]) process.nextTick(() => query.finish("ECANCELLED"));
  }

  getServers(): string[] {
    return (this._handle.getServers() ?? []).map(({ 0: address, 1: port }) =>
      port === 53 ? address : isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`,
    );
  }

  setServers(servers: readonly string[]): void {
    validateArray(servers, "servers");
    const list: [string, number][] = [];
    servers.forEach((server, index) => {
      validateString(server, `servers[${index}]`);
      const parsed = parseServer(server);
      if (parsed === undefined) throw new codes.ERR_INVALID_IP_ADDRESS(server);
      list.push(parsed);
    });
    if (this.queries.size > 0)
      throw new codes.ERR_DNS_SET_SERVERS_FAILED("There are pending queries.", servers.join(","));
    if (list.length > 0) this.servers = list;
  }

  setLocalAddress(ipv4: string, ipv6?: string): void {
    validateString(ipv4, "ipv4");
    if (ipv6 !== undefined) validateString(ipv6, "ipv6");
    const first = isIP(ipv4);
    if (first === 0 || (ipv6 !== undefined && (isIP(ipv6) === 0 || isIP(ipv6) === first))) {
      throw Object.assign(new Error("Invalid IP address."), { code: "ERR_INVALID_ARG_VALUE" });
    }
    this.#local = first === 4 ? { v4: ipv4, v6: ipv6 } : { v4: ipv6, v6: ipv4 };
  }

  /** Asks for one type; `done(error, result)` in the shape of the method. */
  ask(method: Method, name: string, ttl: boolean, done: Done): void {
    const { 0: typeName, 1: syscall } = methods[method];
    const type = types[typeName]!;
    new Query(this, name, type, syscall, (error, answer) => {
      if (error) return done(error);
      if (typeName === "ANY") {
        const list = answer!.records
          .filter((record) => typeNames[record.type] && record.data !== undefined)
          .map(anyRecord);
        return list.length === 0 ? done(dnsError("ENODATA", syscall, name)) : done(null, list);
      }
      const records = answer!.records.filter((record) => record.type === type);
      if (records.length === 0) return done(dnsError("ENODATA", syscall, name));
      if (typeName === "SOA") return done(null, records[0]!.data);
      done(
        null,
        records.map((record) => (ttl ? { address: record.data, ttl: record.ttl } : record.data)),
      );
    });
  }

  /** Names of an address. */
  askReverse(ip: string, done: Done): void {
    const family = isIP(ip);
    if (family === 0) {
      const error = new Error(`getHostByAddr EINVAL ${ip}`);
      Object.assign(error, { errno: -22, code: "EINVAL", syscall: "getHostByAddr", hostname: ip });
      throw error;
    }
    let name: string;
    if (family === 4) {
      name = `${ip.split(".").reverse().join(".")}.in-addr.arpa`;
    } else {
      const halves = new URL(`http://[${ip}]`).hostname.slice(1, -1).split("::");
      const left = halves[0] ? halves[0].split(":") : [];
      const right = halves[1] ? halves[1].split(":") : [];
      const groups = [...left, ...Array(halves.length > 1 ? 8 - left.length - right.length : 0).fill("0"), ...right];
      name = `${groups
        .map((g) => g.padStart(4, "0"))
        .join("")
        .split("")
        .reverse()
        .join(".")}.ip6.arpa`;
    }
    new Query(this, name, types.PTR!, "getHostByAddr", (error, answer) => {
      if (error) {
        error.message = `getHostByAddr ${error.code} ${ip}`;
        error.hostname = ip;
        return done(error);
      }
      const names = answer!.records.filter((record) => record.type === types.PTR).map((record) => record.data);
      if (names.length === 0) return done(dnsError("ENOTFOUND", "getHostByAddr", ip));
      done(null, names);
    });
  }
}

function checked(name: unknown, options: { ttl?: unknown } | null | undefined): boolean {
  validateString(name, "name");
  return Boolean(options?.ttl);
}

/** The methods are put on the prototypes below. */
export interface Resolver extends Record<Method, (name: string, ...rest: unknown[]) => object> {
  resolve(hostname: string, rrtype: unknown, callback?: Done): object;
  reverse(ip: unknown, callback: Done | undefined): object;
}
export interface PromiseResolver extends Record<
  Method,
  (name: string, options?: { ttl?: unknown }) => Promise<unknown>
> {
  resolve(hostname: string, rrtype?: unknown): Promise<unknown>;
  reverse(ip: unknown): Promise<unknown>;
}

/** dns.Resolver: with callbacks. */
export class Resolver extends ResolverBase {}
/** dns.promises.Resolver */
export class PromiseResolver extends ResolverBase {}

for (const method of Object.keys(methods) as Method[]) {
  Object.defineProperty(Resolver.prototype, method, {
    configurable: true,
    writable: true,
    value: {
      [method](this: ResolverBase, name: unknown, options: unknown, callback?: unknown) {
        if (arguments.length > 2) validateFunction(callback, "callback");
        else callback = options;
        validateString(name, "name");
        validateFunction(callback, "callback");
        this.ask(method, name, checked(name, typeof options === "object" ? options : undefined), callback as Done);
        return {};
      },
    }[method],
  });
  Object.defineProperty(PromiseResolver.prototype, method, {
    configurable: true,
    writable: true,
    value: {
      [method](this: ResolverBase, name: string, options?: { ttl?: unknown }) {
        const ttl = checked(name, options);
        return new Promise((resolve, reject) =>
          this.ask(method, name, ttl, (error, result) => (error ? reject(error) : resolve(result))),
        );
      },
    }[method],
  });
}

function methodOf(rrtype: string): Method {
  const found = (Object.keys(methods) as Method[]).find((method) => methods[method][0] === rrtype);
  if (found === undefined) throw new codes.ERR_INVALID_ARG_VALUE("rrtype", rrtype);
  return found;
}

Object.defineProperties(Resolver.prototype, {
  resolve: {
    configurable: true,
    writable: true,
    value: function resolve(this: Resolver, hostname: string, rrtype: unknown, callback?: Done) {
      if (typeof rrtype === "function") {
        callback = rrtype as Done;
        rrtype = "A";
      } else if (typeof rrtype !== "string") {
        throw new codes.ERR_INVALID_ARG_TYPE("rrtype", "string", rrtype);
      }
      return this[methodOf(rrtype as string)](hostname, callback!);
    },
  },
  reverse: {
    configurable: true,
    writable: true,
    value: function reverse(this: Resolver, ip: unknown, callback: Done | undefined) {
      validateString(ip, "name");
      validateFunction(callback, "callback");
      this.askReverse(ip, callback);
      return {};
    },
  },
});
Object.defineProperties(PromiseResolver.prototype, {
  resolve: {
    configurable: true,
    writable: true,
    value: function resolve(this: PromiseResolver, hostname: string, rrtype: unknown = "A") {
      if (typeof rrtype !== "string") throw new codes.ERR_INVALID_ARG_TYPE("rrtype", "string", rrtype);
      return this[methodOf(rrtype)](hostname);
    },
  },
  reverse: {
    configurable: true,
    writable: true,
    value: function reverse(this: PromiseResolver, ip: unknown) {
      validateString(ip, "name");
      return new Promise((resolve, reject) =>
        this.askReverse(ip, (error, names) => (error ? reject(error) : resolve(names))),
      );
    },
  },
});

let shared: Resolver | undefined;
let sharedPromises: PromiseResolver | undefined;
/** The resolver behind dns.resolve4 and the like. */
export function defaultResolver(): Resolver {
  return (shared ??= new Resolver());
}
/** Its twin with promises; the servers are the same. */
export function defaultPromiseResolver(): PromiseResolver {
  if (sharedPromises === undefined) {
    sharedPromises = new PromiseResolver();
    Object.defineProperty(sharedPromises, "servers", {
      get: () => defaultResolver().servers,
      set: (value) => {
        defaultResolver().servers = value;
      },
    });
  }
  return sharedPromises;
}
