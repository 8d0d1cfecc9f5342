/** Where a client connects to, and how. */

import { validateInteger } from "internal/core/validators";
import { wrongProperty, wrongType, wrongValue } from "internal/redis/errors";
import { placeOf, type Sentinels, sentinelsOf } from "internal/redis/sentinel";
import type { Place } from "internal/redis/types";

const SCHEMES = ["redis", "valkey", "rediss", "valkeys", "redis+tls", "valkey+tls"];
const UNIX = ["redis+unix", "valkey+unix", "redis+tls+unix", "valkey+tls+unix"];
const PORT = 6379;

export interface Address {
  host: string;
  port: number;
  /** Of a unix socket. */
  path: string | undefined;
  secure: boolean;
  username: string;
  password: string;
  database: number;
}

export interface Options {
  connectionTimeout: number;
  idleTimeout: number;
  autoReconnect: boolean;
  maxRetries: number;
  enableOfflineQueue: boolean;
  enableAutoPipelining: boolean;
  tls: Record<string, unknown> | undefined;
  /** Those who know where the server is. */
  sentinels: Sentinels | undefined;
  /** Servers of a cluster that are asked for the others; an empty list stands for the one of the URL. */
  cluster: Place[] | undefined;
}

/** The environment's, or the one on this machine. */
export function defaultUrl(): string {
  const { REDIS_URL, VALKEY_URL } = process.env;
  return REDIS_URL || VALKEY_URL || "valkey://localhost:6379";
}

/** Throws TypeError for what is no address of a server. */
export function addressOf(given: string): Address {
  const text = given.includes("://") || given === "" ? given : `valkey://${given}`;
  const scheme = /^([a-z+]+):\/\//i.exec(text)?.[1]!.toLowerCase();
  if (scheme !== undefined && !SCHEMES.includes(scheme) && !UNIX.includes(scheme)) {
    const known = "redis, valkey, rediss, valkeys, redis+tls, redis+unix, redis+tls+unix";
    throw new Error(`Expected url protocol to be one of ${known}`);
  }
  const secure = scheme !== undefined && /^rediss$|^valkeys$|\+tls/.test(scheme);
  if (scheme !== undefined && UNIX.includes(scheme)) return unixAddress(text, secure);
  let url: URL;
  try {
    // With a scheme that has hosts.
    url = new URL(text.replace(/^[a-z+]+:/i, "http:"));
  } catch {
    throw wrongValue("Invalid URL format");
  }
  if (/:0+$/.test(url.host)) throw wrongValue("Port 0 is not valid for TCP connections");
  // The URL of a web page leaves its own port out.
  const port =
    url.port === "" ? (/:80(?=$|[/?#])/.test(text.replace(/^[a-z+]+:\/\//i, "")) ? 80 : PORT) : Number(url.port);
  const host = url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
  return { host, port, path: undefined, secure, ...credentials(url), database: databaseOf(url.pathname.slice(1)) };
}

function databaseOf(text: string): number {
  if (text === "") return 0;
  const database = Number(text);
  return Number.isInteger(database) && database >= 0 ? database : 0;
}

function credentials({ username, password }: URL): { username: string; password: string } {
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
}

function unixAddress(text: string, secure: boolean): Address {
  const rest = text.slice(text.indexOf("://") + 3);
  const at = rest.lastIndexOf("@", rest.indexOf("/") < 0 ? undefined : rest.indexOf("/"));
  const path = decodeURIComponent(rest.slice(at + 1).split("?")[0]!);
  if (path === "") throw wrongValue("Expected unix socket path after valkey+unix:// or valkey+tls+unix://");
  const database = /[?&]db=(\d+)/.exec(rest)?.[1] ?? "";
  const own = credentials(new URL(`http://${at < 0 ? "" : rest.slice(0, at + 1)}localhost`));
  return { host: "localhost", port: 0, path, secure, ...own, database: databaseOf(database) };
}

function numberOf(options: Record<string, unknown>, name: string, usual: number): number {
  const value = options[name];
  if (value === undefined) return usual;
  if (typeof value !== "number") throw wrongProperty(name, "number", value);
  validateInteger(value, name, 0, 2 ** 32 - 1);
  return value;
}

function booleanOf(options: Record<string, unknown>, name: string, usual: boolean): boolean {
  const value = options[name];
  if (value === undefined) return usual;
  if (typeof value !== "boolean") throw wrongProperty(name, "boolean", value);
  return value;
}

function clusterOf(given: unknown): Place[] | undefined {
  if (given === undefined || given === null || given === false) return undefined;
  if (given === true) return [];
  if (!Array.isArray(given)) throw wrongType("cluster", "cluster", "boolean or list of places");
  return given.map((place) => placeOf(place, "cluster", PORT));
}

/** What finds servers by itself needs an address that stands for one of many. */
function checkSearch(sentinels: Sentinels | undefined, cluster: Place[] | undefined, address: Address): void {
  if (sentinels === undefined && cluster === undefined) return;
  if (sentinels !== undefined && cluster !== undefined) {
    throw wrongValue(
      "The options 'cluster' and 'sentinels' exclude each other: the servers of a cluster know its masters",
    );
  }
  if (address.path !== undefined) {
    throw wrongValue(`The option '${cluster === undefined ? "sentinels" : "cluster"}' needs TCP, not a unix socket`);
  }
  if (cluster !== undefined && address.database !== 0) throw wrongValue("A cluster has no database but 0");
}

/** Throws TypeError and RangeError for options that are none, or not for this address. */
export function optionsOf(given: unknown, address: Address): Options {
  const options = (given ?? {}) as Record<string, unknown>;
  const { tls } = options;
  const isObject = typeof tls === "object" && tls !== null;
  if (tls !== undefined && tls !== null && typeof tls !== "boolean" && !isObject)
    throw wrongType("tls", "tls", "boolean or object");
  const sentinels = sentinelsOf(options);
  const cluster = clusterOf(options.cluster);
  checkSearch(sentinels, cluster, address);
  return {
    connectionTimeout: numberOf(options, "connectionTimeout", 10_000),
    idleTimeout: numberOf(options, "idleTimeout", 0),
    maxRetries: numberOf(options, "maxRetries", 10),
    autoReconnect: booleanOf(options, "autoReconnect", true),
    enableOfflineQueue: booleanOf(options, "enableOfflineQueue", true),
    enableAutoPipelining: booleanOf(options, "enableAutoPipelining", true),
    sentinels,
    cluster,
    tls: isObject ? (tls as Record<string, unknown>) : tls === true ? {} : undefined,
  };
}
