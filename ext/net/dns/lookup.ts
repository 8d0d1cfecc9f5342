// dns.lookup and dns.lookupService: the system's resolver, on the thread pool.

import { codes, dnsException } from "internal/core/errors";
import { asResource } from "internal/events/async_context";
import { orDenied } from "internal/net/denied";
import { isIP } from "internal/net/ip";
import {
  validateBoolean,
  validateFunction,
  validateNumber,
  validateOneOf,
  validatePort,
  validateString,
} from "internal/core/validators";

const { getAddrInfo, getNameInfo } = native("net");

export const AI_ADDRCONFIG = 32;
export const AI_ALL = 16;
export const AI_V4MAPPED = 8;

const UV_ENOTFOUND = -3008;

/** "verbatim", "ipv4first" or "ipv6first". */
export const order = { value: undefined as string | undefined };

export function defaultOrder(): string {
  if (order.value === undefined) {
    const option = native("process").cliOption("--dns-result-order");
    order.value = typeof option === "string" ? option : "verbatim";
  }
  return order.value;
}

export function setDefaultResultOrder(value: string): void {
  validateOneOf(value, "dnsOrder", ["verbatim", "ipv4first", "ipv6first"]);
  order.value = value;
}

function validateHints(hints: number): void {
  if ((hints & ~(AI_ADDRCONFIG | AI_ALL | AI_V4MAPPED)) !== 0) throw new codes.ERR_INVALID_ARG_VALUE("hints", hints);
}

let warnedFalsy = false;
function emitInvalidHostnameWarning(hostname: unknown): void {
  if (warnedFalsy) return;
  warnedFalsy = true;
  process.emitWarning(
    `The provided hostname "${hostname}" is not a valid hostname, and is supported in the dns module solely for compatibility.`,
    "DeprecationWarning",
    "DEP0118",
  );
}

function sortBy(addresses: string[], dnsOrder: string): string[] {
  if (dnsOrder === "verbatim") return addresses;
  const v4 = addresses.filter((address) => isIP(address) === 4);
  const v6 = addresses.filter((address) => isIP(address) !== 4);
  return dnsOrder === "ipv4first" ? v4.concat(v6) : v6.concat(v4);
}

/** Options of dns.lookup(). */
export interface LookupOptions {
  family?: string | number | null;
  hints?: number | null;
  all?: boolean | null;
  verbatim?: boolean | null;
  order?: string | null;
}
/** Gets an error or null, then an address and its family, or with `all` a list of both. */
type LookupCallback = (...result: never[]) => void;

/** Checks the arguments of both forms of lookup: [family, hints, all, order]. */
export function lookupOptions(
  hostname: unknown,
  options: LookupOptions | number | null | undefined,
): [number, number, boolean, string] {
  let family = 0;
  let hints = 0;
  let all = false;
  let dnsOrder = defaultOrder();
  if (hostname) validateString(hostname, "hostname");
  if (typeof options === "number") {
    validateOneOf(options, "family", [0, 4, 6]);
    family = options;
  } else if (options !== undefined && typeof options !== "object") {
    validateString(hostname, "hostname");
    throw new codes.ERR_INVALID_ARG_TYPE("options", ["integer", "object"], options);
  } else if (options) {
    if (options.hints != null) {
      validateNumber(options.hints, "options.hints");
      hints = options.hints >>> 0;
      validateHints(hints);
    }
    if (options.family != null) {
      if (options.family === "IPv4") family = 4;
      else if (options.family === "IPv6") family = 6;
      else {
        validateOneOf(options.family, "options.family", [0, 4, 6]);
        family = options.family as number;
      }
    }
    if (options.all != null) {
      validateBoolean(options.all, "options.all");
      all = options.all;
    }
    if (options.verbatim != null) {
      validateBoolean(options.verbatim, "options.verbatim");
      dnsOrder = options.verbatim ? "verbatim" : "ipv4first";
    }
    if (options.order != null) {
      validateOneOf(options.order, "options.order", ["ipv4first", "ipv6first", "verbatim"]);
      dnsOrder = options.order;
    }
  }
  return [family, hints, all, dnsOrder];
}

/** Addresses of a host that is not one itself; `done(error)` or `done(null, addresses)`. */
export function query(
  hostname: string,
  family: number,
  hints: number,
  dnsOrder: string,
  done: (error: Native.NativeError | CodedError | null, addresses?: string[]) => void,
): void {
  const name = require("node:url").domainToASCII(hostname) || hostname;
  const denied = orDenied(() =>
    getAddrInfo(
      name,
      family,
      hints,
      asResource((error, result) => {
        if (error) return done(error);
        const { 0: code, 1: addresses } = result;
        if (code !== 0) return done(dnsException(code, "getaddrinfo", hostname));
        if (addresses.length === 0) return done(dnsException(UV_ENOTFOUND, "getaddrinfo", hostname));
        done(null, sortBy(addresses, dnsOrder));
      }, "GETADDRINFOREQWRAP"),
    ),
  );
  if (denied) process.nextTick(done, denied);
}

/** dns.lookup(hostname[, options], callback) */
export function lookup(
  hostname: string,
  options: LookupOptions | number | LookupCallback | null | undefined,
  callback?: unknown,
) {
  if (hostname) validateString(hostname, "hostname");
  if (typeof options === "function") {
    callback = options;
    options = undefined;
  }
  if (options !== undefined && typeof options !== "object" && typeof options !== "number") {
    // With two arguments the second was meant to be the callback.
    validateFunction(arguments.length === 2 ? options : callback, "callback");
  }
  validateFunction(callback, "callback");
  const { 0: family, 1: hints, 2: all, 3: dnsOrder } = lookupOptions(hostname, options as LookupOptions);
  validateFunction(callback, "callback");

  if (!hostname) {
    emitInvalidHostnameWarning(hostname);
    if (all) process.nextTick(callback, null, []);
    else process.nextTick(callback, null, null, family === 6 ? 6 : 4);
    return {};
  }
  const matched = isIP(hostname);
  if (matched) {
    if (all) process.nextTick(callback, null, [{ address: hostname, family: matched }]);
    else process.nextTick(callback, null, hostname, matched);
    return {};
  }
  query(hostname, family, hints, dnsOrder, (error, addresses) => {
    if (error) callback(error);
    else if (all)
      callback(
        null,
        addresses!.map((address) => ({ address, family: family || isIP(address) })),
      );
    else callback(null, addresses![0], family || isIP(addresses![0]));
  });
  return {};
}
Object.defineProperty(lookup, require("internal/core/util").customPromisifyArgs, {
  value: ["address", "family"],
  enumerable: false,
});

/** dns.lookupService(address, port, callback) */
export function lookupService(address: string, port: number, callback: unknown) {
  if (arguments.length !== 3) throw new codes.ERR_MISSING_ARGS("address", "port", "callback");
  if (isIP(address) === 0) throw new codes.ERR_INVALID_ARG_VALUE("address", address);
  validatePort(port);
  validateFunction(callback, "callback");
  const denied = orDenied(() =>
    getNameInfo(
      address,
      +port,
      asResource((error, result) => {
        if (error) return callback(error);
        if (result[0] !== 0) return callback(dnsException(result[0], "getnameinfo", address));
        callback(null, result[1], result[2]);
      }, "GETNAMEINFOREQWRAP"),
    ),
  );
  if (denied) process.nextTick(callback, denied);
  return {};
}
Object.defineProperty(lookupService, require("internal/core/util").customPromisifyArgs, {
  value: ["hostname", "service"],
  enumerable: false,
});
