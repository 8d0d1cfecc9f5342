/** HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY. */
import { isIP, isIPv4 } from "internal/net/ip";

/** What http.setGlobalProxyFromEnv() has set, which goes before the environment. */
export const given: { env: { [name: string]: string | undefined } | undefined } = { env: undefined };

/** A variable in lower case goes before the same in upper case. */
function variable(name: string): string {
  const { env } = process;
  const low = name.toLowerCase();
  return given.env?.[low] || given.env?.[name] || env[low] || env[name] || "";
}

/** The URL of the proxy that the environment asks for, or "". */
export function proxyOfEnvironment(protocol: string): string {
  return variable(protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY") || variable("ALL_PROXY");
}

/** Whether NO_PROXY names a host. */
export function isDirect(target: { hostname: string; port: number }): boolean {
  return isExempt(variable("NO_PROXY"), target.hostname, target.port, false);
}

/**
 * Whether a list such as "localhost, .example.com, 10.0.0.0/8, 10.0.0.1-10.0.0.9, host:8080" names a host. `isExact`: a name without a
 * dot in front is that host only (as in Node), else those below it, too (as in curl and Bun).
 */
export function isExempt(list: string, hostname: string, port: number, isExact: boolean): boolean {
  if (list === "") return false;
  hostname = hostname.toLowerCase();
  for (const part of list.split(/[\s,]+/)) {
    let name = part.toLowerCase();
    if (name === "") continue;
    if (name === "*") return true;
    if (name.includes("/")) {
      if (isIP(hostname) && inNetwork(name, hostname)) return true;
      continue;
    }
    const [first, last] = name.split("-", 2);
    if (isIPv4(first) && isIPv4(last) && isIPv4(hostname)) {
      if (number(first!) <= number(hostname) && number(hostname) <= number(last!)) return true;
      continue;
    }
    const match = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(name);
    if (match !== null) {
      if (Number(match[2]) !== port) continue;
      name = match[1];
    }
    if (name.startsWith("[")) name = name.slice(1, -1);
    const isFamily = /^\*?\./.test(name);
    if (isFamily) name = name.slice(name.indexOf(".") + 1);
    if (hostname === name) return true;
    if ((isFamily || !isExact) && !isIP(hostname) && hostname.endsWith(`.${name}`)) return true;
  }
  return false;
}

/** An IPv4 address as a number. */
function number(address: string): number {
  return address.split(".").reduce((sum, byte) => sum * 256 + Number(byte), 0);
}

function inNetwork(network: string, address: string): boolean {
  const slash = network.indexOf("/");
  const base = network.slice(0, slash);
  const bits = Number(network.slice(slash + 1));
  const family = isIP(base);
  if (family === 0 || family !== isIP(address) || !(bits >= 0 && bits <= (family === 4 ? 32 : 128))) return false;
  const { BlockList } = require("node:net");
  const blocked = new BlockList();
  const name = family === 4 ? "ipv4" : "ipv6";
  blocked.addSubnet(base, bits, name);
  return blocked.check(address, name);
}

/** Where the server of an http: or https: URL is, and the value of a header for its user and password. */
export function serverOf(url: URL): { hostname: string; port: number; authorization: string | undefined } {
  const { hostname, port, username, password } = url;
  let authorization: string | undefined;
  if (username !== "" || password !== "") {
    const text = `${decode(username)}:${decode(password)}`;
    authorization = `Basic ${require("node:buffer").Buffer.from(text).toString("base64")}`;
  }
  return {
    hostname: hostname.startsWith("[") ? hostname.slice(1, -1) : hostname,
    port: port !== "" ? Number(port) : url.protocol === "https:" ? 443 : 80,
    authorization,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
