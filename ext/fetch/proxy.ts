/** HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY. */
import { isIP } from "internal/net/ip";

/** A variable in lower case goes before the same in upper case. */
function variable(name: string): string {
  const { env } = process;
  return env[name.toLowerCase()] || env[name] || "";
}

/** The URL of the proxy that the environment asks for, or "". */
export function proxyOfEnvironment(protocol: string): string {
  return variable(protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY") || variable("ALL_PROXY");
}

/** Whether NO_PROXY names a host. */
export function isDirect(target: { hostname: string; port: number }): boolean {
  return isExempt(variable("NO_PROXY"), target.hostname, target.port);
}

/** Whether a list such as "localhost, .example.com, 10.0.0.0/8, host:8080" names a host. */
function isExempt(list: string, hostname: string, port: number): boolean {
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
    const match = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(name);
    if (match !== null) {
      if (Number(match[2]) !== port) continue;
      name = match[1];
    }
    if (name.startsWith("[")) name = name.slice(1, -1);
    if (name.startsWith("*.")) name = name.slice(1);
    if (name.startsWith(".")) name = name.slice(1);
    if (hostname === name || (!isIP(hostname) && hostname.endsWith(`.${name}`))) return true;
  }
  return false;
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
