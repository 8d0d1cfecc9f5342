// File URLs and helpers of `node:url` that other built-in modules use, too.
import { codes } from "internal/core/errors";
import { validateString } from "internal/core/validators";
import { URL } from "web/url";

const isWindows = process.platform === "win32";

/** What tells a URL from a legacy Url. */
interface UrlLike {
  href?: unknown;
  protocol?: unknown;
  auth?: unknown;
  path?: unknown;
}

/**
 * Whether a value is a URL as far as Node's functions care: it has an href and a protocol, and is no legacy Url (which
 * has `auth` and `path`). URLs of other realms and of polyfills count.
 */
export function isURL(value: unknown): value is URL {
  return Boolean(
    (value as UrlLike | null | undefined)?.href &&
    (value as UrlLike).protocol &&
    (value as UrlLike).auth === undefined &&
    (value as UrlLike).path === undefined,
  );
}

/** The value, or its path if it is a file URL. */
export function toPathIfFileURL(value: string | URL): unknown {
  return isURL(value) ? fileURLToPath(value) : value;
}

function fileURL(path: string | URL): URL {
  if (typeof path === "string") path = new URL(path);
  else if (!isURL(path)) throw new codes.ERR_INVALID_ARG_TYPE("path", ["string", "URL"], path);
  if (path.protocol !== "file:") throw new codes.ERR_INVALID_URL_SCHEME("file");
  return path;
}

/**
 * url.fileURLToPath(): throws ERR_INVALID_URL_SCHEME, ERR_INVALID_FILE_URL_HOST (POSIX), ERR_INVALID_FILE_URL_PATH.
 * @param options `windows`: give a Windows path (default: on Windows)
 */
export function fileURLToPath(path: string | URL, options?: { windows?: boolean } | null): string {
  const url = fileURL(path);
  if (options?.windows ?? isWindows) return windowsPath(url);
  return decodeURIComponent(posixPathname(url));
}

/** url.fileURLToPathBuffer(): the same as bytes, which need not be UTF-8. */
export function fileURLToPathBuffer(path: string | URL, options?: { windows?: boolean } | null): Buffer {
  const url = fileURL(path);
  if (options?.windows ?? isWindows) return Buffer.from(windowsPath(url));
  return require("node:querystring").unescapeBuffer(posixPathname(url));
}

function posixPathname(url: URL): string {
  if (url.hostname !== "") throw new codes.ERR_INVALID_FILE_URL_HOST(process.platform);
  const { pathname } = url;
  if (/%2f/i.test(pathname)) throw new codes.ERR_INVALID_FILE_URL_PATH("must not include encoded / characters", url);
  return pathname;
}

function windowsPath(url: URL): string {
  let { pathname } = url;
  if (/%(?:2f|5c)/i.test(pathname)) {
    throw new codes.ERR_INVALID_FILE_URL_PATH("must not include encoded \\ or / characters", url);
  }
  pathname = decodeURIComponent(pathname.replaceAll("/", "\\"));
  // A host makes it a UNC path. It is punycode in the URL, but not in a path.
  if (url.hostname !== "") return `\\\\${native("url").domainToUnicode(url.hostname)}${pathname}`;
  if (!/^.[a-z]:/i.test(pathname)) throw new codes.ERR_INVALID_FILE_URL_PATH("must be absolute", url);
  return pathname.slice(1);
}

/** What each ASCII character of a path becomes; "" where it stays. */
const escapes: string[] = [];
for (let code = 0; code < 128; code++) {
  const char = String.fromCharCode(code);
  // What a URL parser would drop, give a meaning to or escape, and what RFC 1738 calls unsafe. As in Node, other control
  // characters are left to the parser, which drops them at the end.
  const stays = code < 32 ? code !== 9 && code !== 10 && code !== 13 : !/[ %\\?#[\]^|~"<>`{}\u007f]/.test(char);
  escapes.push(stays ? "" : `%${code < 16 ? "0" : ""}${code.toString(16).toUpperCase()}`);
}

/** A path as the path of a URL, so that a URL parser has nothing to do. On Windows "\\" has been turned into "/" before. */
function escapePath(path: string): string {
  const { length } = path;
  let out = "";
  let from = 0;
  for (let i = 0; i < length; i++) {
    const code = path.charCodeAt(i);
    if (code < 128) {
      const escape = escapes[code];
      if (escape === "") continue;
      if (i > from) out += path.slice(from, i);
      out += escape;
    } else {
      if (i > from) out += path.slice(from, i);
      const start = i;
      while (i + 1 < length && path.charCodeAt(i + 1) >= 128) i++;
      // Lone surrogates become U+FFFD.
      out += encodeURIComponent(path.slice(start, i + 1).toWellFormed());
    }
    from = i + 1;
  }
  if (from === 0) return path;
  return from < length ? out + path.slice(from) : out;
}

/**
 * url.pathToFileURL(): the path is resolved; a slash at its end is kept.
 * @param options `windows`: take it for a Windows path (default: on Windows)
 */
export function pathToFileURL(filepath: string, options?: { windows?: boolean } | null): URL {
  const windows = options?.windows ?? isWindows;
  validateString(filepath, "path");
  if (windows) {
    // "\\?\C:\" is another way to write "C:\".
    if (/^\\\\\?\\[a-z]:/i.test(filepath)) filepath = filepath.slice(4);
    else if (filepath.startsWith("\\\\")) return uncToURL(filepath);
  }
  const path = windows ? require("node:path").win32 : require("node:path").posix;
  let resolved: string = path.resolve(filepath);
  const last = filepath.charCodeAt(filepath.length - 1);
  if ((last === 47 || (windows && last === 92)) && !resolved.endsWith(path.sep)) resolved += "/";
  if (windows) resolved = resolved.replaceAll("\\", "/");
  const escaped = escapePath(resolved);
  return new URL(escaped.startsWith("/") ? `file://${escaped}` : `file:///${escaped}`);
}

/** \\server\share\path and its long form \\?\UNC\server\share\path. */
function uncToURL(filepath: string): URL {
  const start = filepath.startsWith("\\\\?\\UNC\\") ? 8 : 2;
  const end = filepath.indexOf("\\", start);
  if (end === -1) throw new codes.ERR_INVALID_ARG_VALUE("path", filepath, "Missing UNC resource path");
  if (end === 2) throw new codes.ERR_INVALID_ARG_VALUE("path", filepath, "Empty UNC servername");
  const url = new URL("file://");
  url.hostname = native("url").domainToAscii(filepath.slice(start, end));
  url.pathname = escapePath(filepath.slice(end).replaceAll("\\", "/"));
  return url;
}
