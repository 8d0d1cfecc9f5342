/** Bun.dns: https://bun.com/docs/api/dns. Answers of look-ups are shared with fetch and Bun.connect. */
import { isIP } from "internal/net/ip";
import { invalidType } from "bun/util";

import type { Method } from "internal/net/dns/resolver";

const ADDRCONFIG = 32;
const ALL = 16;
const V4MAPPED = 8;

const families: Record<string, number> = { __proto__: null as never, 0: 0, 4: 4, 6: 6, IPv4: 4, IPv6: 6, any: 0 };
const backends = ["libc", "c-ares", "system", "getaddrinfo", "async"];

function invalid(what: string): never {
  throw new Error(`Invalid options passed to lookup(): ${what}`);
}

/** What a program may ask for; `port` and `socketType` are checked only. */
interface LookupOptions {
  port?: unknown;
  family?: string | number | null;
  socketType?: string | number | null;
  backend?: string | null;
  flags?: unknown;
  hints?: unknown;
}

/** Addresses of a host: `[{ address, family, ttl }]`. The system is asked, whatever the backend is called: `ttl` is 0. */
function lookup(hostname: unknown, options: number | LookupOptions | null | undefined = undefined): Promise<unknown[]> {
  if (typeof hostname !== "string") throw invalidType("hostname must be a string");
  if (hostname === "") throw invalidType("Expected hostname to be a non-empty string for 'lookup'.");
  let family = 0;
  let flags = 0;
  if (typeof options === "object" && options !== null) {
    if (options.port !== undefined && options.port !== null) {
      const port = Number(options.port);
      if (!(port >= 0 && port <= 65535)) {
        const error: NodeError = new RangeError(`Port number out of range: ${options.port}`);
        error.code = "ERR_SOCKET_BAD_PORT";
        throw error;
      }
    }
    if (options.family !== undefined && options.family !== null) {
      const found = families[options.family];
      if (found === undefined) invalid("InvalidFamily");
      family = found;
    }
    const { socketType } = options;
    if (
      socketType !== undefined &&
      socketType !== null &&
      ![0, 1, 2, "tcp", "udp", "stream", "dgram"].includes(socketType)
    )
      invalid("InvalidSocketType");
    if (options.backend !== undefined && options.backend !== null && !backends.includes(options.backend))
      invalid("InvalidBackend");
    const given = options.flags ?? options.hints;
    if (given !== undefined && given !== null) {
      if (typeof given !== "number") throw invalidType("LookupOptions.flags must be a number");
      if ((given & ~(ADDRCONFIG | ALL | V4MAPPED)) !== 0) {
        const { determineSpecificType } = require("internal/core/errors");
        const error: NodeError = new TypeError(
          `The "flags" argument is invalid. Received ${determineSpecificType(given)}`,
        );
        error.code = "ERR_INVALID_ARG_VALUE";
        throw error;
      }
      flags = given;
    }
  } else if (typeof options === "number") {
    const found = families[options];
    if (found === undefined) invalid("InvalidFamily");
    family = found;
  }
  const shown = (list: string[]) => list.map((address) => ({ address, family: isIP(address), ttl: 0 }));
  if (isIP(hostname)) return Promise.resolve(shown([hostname]));
  const { promise, resolve, reject } = Promise.withResolvers<unknown[]>();
  require("internal/net/dns/lookup").query(
    hostname,
    family,
    flags,
    "verbatim",
    (error: NodeError | null | undefined, addresses: string[] = []) => {
      if (error) reject(failure(error));
      else resolve(shown(addresses));
    },
  );
  return promise;
}

/** Bun's form of a failed look-up; what the permission model denies is told as it is. */
function failure(cause: NodeError): unknown {
  if (cause.code === "ERR_ACCESS_DENIED") return cause;
  const error: NodeError = new Error(`getaddrinfo ${cause.code}`);
  error.code = `DNS_${cause.code}`;
  error.syscall = "getaddrinfo";
  error.errno = cause.code === "ENOTFOUND" ? 4 : cause.errno;
  error.name = "DNSException";
  return error;
}

/** Has the addresses of a host ready for fetch and Bun.connect. */
function prefetch(hostname: unknown, port: unknown = undefined): void {
  if (typeof hostname !== "string") throw invalidType("hostname must be a string");
  if (port !== undefined && port !== null) (require("internal/core/validators").validateNumber as Check)(port, "port");
  if (hostname !== "") require("internal/fetch/connect").resolveHost(hostname, () => {});
}

function getCacheStats() {
  const { stats, cacheSize } = require("internal/fetch/connect");
  return { ...stats, size: cacheSize() };
}

const promises = () => require("node:dns/promises");
const node = () => require("node:dns");
const ask = (name: Method | "resolve" | "reverse" | "lookupService") =>
  ({
    [name](...args: unknown[]) {
      return (promises()[name] as (...values: unknown[]) => unknown)(...args);
    },
  })[name];

/** `Bun.dns` */
export const dns = {
  lookup,
  /** Records of a name; of addresses unless another type is asked for. */
  resolve: ask("resolve"),
  resolveSrv: ask("resolveSrv"),
  resolveTxt: ask("resolveTxt"),
  resolveSoa: ask("resolveSoa"),
  resolveNaptr: ask("resolveNaptr"),
  resolveMx: ask("resolveMx"),
  resolveCaa: ask("resolveCaa"),
  resolveNs: ask("resolveNs"),
  resolvePtr: ask("resolvePtr"),
  resolveCname: ask("resolveCname"),
  resolveAny: ask("resolveAny"),
  getServers() {
    return node().getServers();
  },
  setServers(servers: readonly string[]) {
    return node().setServers(servers);
  },
  reverse: ask("reverse"),
  lookupService: ask("lookupService"),
  prefetch,
  getCacheStats,
  ADDRCONFIG,
  ALL,
  V4MAPPED,
};
