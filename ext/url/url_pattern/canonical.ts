// How a URL would write the value of a component (https://urlpattern.spec.whatwg.org/#canon-encoding-callbacks). Each
// function takes text and throws a TypeError if it could not be in a URL.
import { URL } from "web/url";

const { update } = native("url");
/** The native setters report refusals, which the setters of URL objects do not. */
const HOSTNAME = 4;
const PORT = 5;
const places = new Int32Array(8);

/** Special schemes and their default ports. */
export const defaultPorts: Record<string, string> = {
  __proto__: null as never,
  http: "80",
  https: "443",
  ws: "80",
  wss: "443",
  ftp: "21",
  file: "",
};

function refused(what: string, value: string): TypeError {
  return new TypeError(`Invalid ${what} in a URL pattern: "${value}"`);
}

export function protocol(value: string): string {
  if (value === "") return "";
  const url = URL.parse(`${value}://dummy.invalid`);
  if (url === null) throw refused("protocol", value);
  return url.protocol.slice(0, -1);
}

export function username(value: string): string {
  const url = new URL("https://dummy.invalid/");
  url.username = value;
  return url.username;
}

export function password(value: string): string {
  const url = new URL("https://dummy.invalid/");
  url.password = value;
  return url.password;
}

export function hostname(value: string): string {
  if (value === "") return "";
  const base = "https://dummy.invalid/";
  const href = update(base, HOSTNAME, value, places);
  if (href === undefined) throw refused("hostname", value);
  return href === true ? "dummy.invalid" : new URL(href).hostname;
}

export function ipv6Hostname(value: string): string {
  if (/[^0-9a-f[\]:]/i.test(value)) throw refused("IPv6 address", value);
  return value.toLowerCase();
}

/** @param scheme decides which port is the default one, which is written as "" */
export function port(value: string, scheme = ""): string {
  if (value === "") return "";
  const base = `${defaultPorts[scheme] === undefined || scheme === "file" ? "x" : scheme}://dummy.invalid`;
  const href = /^[\t\n\r]*\d/.test(value) ? update(base, PORT, value, places) : undefined;
  if (href === undefined) throw refused("port", value);
  return href === true ? "" : new URL(href).port;
}

/** The path of a URL with a special scheme. */
export function pathname(value: string): string {
  if (value === "") return "";
  const url = new URL("https://dummy.invalid/");
  // A pattern may continue a path, so "." at its start is not a dot segment.
  if (value[0] === "/") {
    url.pathname = value;
    return url.pathname;
  }
  url.pathname = `/-${value}`;
  return url.pathname.slice(2);
}

/** The path of any other URL. */
export function opaquePathname(value: string): string {
  if (!/[^ -~]/.test(value)) return value;
  let out = "";
  for (const character of value.toWellFormed()) {
    if (character === "\t" || character === "\n" || character === "\r") continue;
    if (character < " " || character === "\x7f")
      out += `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
    else out += character <= "~" ? character : encodeURIComponent(character);
  }
  return out;
}

export function search(value: string): string {
  if (value === "") return "";
  const url = new URL("https://dummy.invalid/");
  url.search = `?${value}`;
  return url.search.slice(1);
}

export function hash(value: string): string {
  if (value === "") return "";
  const url = new URL("https://dummy.invalid/");
  url.hash = `#${value}`;
  return url.hash.slice(1);
}
