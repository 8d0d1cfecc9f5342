// Resolving of the legacy URL API: `url.resolve` and `url.resolveObject`. The rules are those of a browser of about 2010,
// with extras for protocols without slashes, where ".." may eat the host.
import { hostless, slashed, Url, type UrlClass, type UrlObject } from "internal/url/url_legacy";

/** Sets path and href from the other fields and returns the object. */
function finish(url: UrlObject): UrlObject {
  url.href = url.format();
  return url;
}

/** "user@host" in the host comes apart; that happens with protocols such as mailto. */
function splitAuth(url: UrlObject): void {
  if (!url.host || url.host.indexOf("@") <= 0) return;
  const [auth, host] = url.host.split("@");
  url.auth = auth!;
  url.host = url.hostname = host!;
}

/** Resolves `relative` (text or a Url) against `base`; returns a new Url. A Url given as `relative` may be changed. */
export function resolveObject(base: UrlObject, relative: UrlObject): UrlObject {
  if (typeof relative === "string") {
    const parsed: UrlObject = new (Url as UrlClass)();
    parsed.parse(relative, false, true);
    relative = parsed;
  }
  const result: UrlObject = new (Url as UrlClass)();
  Object.assign(result, base);
  // Even "" takes the fragment away.
  result.hash = relative.hash;
  if (relative.href === "") return finish(result);

  // "//host/path" keeps only the protocol.
  if (relative.slashes && !relative.protocol) {
    for (const key of Object.keys(relative)) if (key !== "protocol") result[key] = relative[key];
    if (slashed.has(result.protocol!) && result.hostname && !result.pathname) result.path = result.pathname = "/";
    return finish(result);
  }
  if (relative.protocol && relative.protocol !== result.protocol) return otherProtocol(result, relative);
  return sameProtocol(result, relative);
}

/** `relative` has a protocol of its own. */
function otherProtocol(result: UrlObject, relative: UrlObject): UrlObject {
  if (!slashed.has(relative.protocol!)) {
    Object.assign(result, relative);
    return finish(result);
  }
  result.protocol = relative.protocol;
  if (!relative.host && !/^file:?$/.test(relative.protocol!) && !hostless.has(relative.protocol!)) {
    // "http:host/path": the first name is the host.
    const names = (relative.pathname || "").split("/");
    while (names.length > 0 && !(relative.host = names.shift()!));
    relative.host ||= "";
    relative.hostname ||= "";
    if (names[0] !== "") names.unshift("");
    if (names.length < 2) names.unshift("");
    result.pathname = names.join("/");
  } else {
    result.pathname = relative.pathname;
  }
  result.search = relative.search;
  result.query = relative.query;
  result.host = relative.host || "";
  result.auth = relative.auth;
  result.hostname = relative.hostname || relative.host;
  result.port = relative.port;
  if (result.pathname || result.search) result.path = (result.pathname || "") + (result.search || "");
  result.slashes ||= relative.slashes;
  return finish(result);
}

/** Moves the host of `url` to the front of its path. */
function hostToPath(url: UrlObject, names: string[]): void {
  if (!url.host) return;
  if (names[0] === "") names[0] = url.host;
  else names.unshift(url.host);
}

function names(pathname: string | null): string[] {
  return pathname ? pathname.split("/") : [];
}

/** `relative` has no protocol, or the same. */
function sameProtocol(result: UrlObject, relative: UrlObject): UrlObject {
  const baseIsAbsolute = result.pathname?.[0] === "/";
  const relativeIsAbsolute = relative.host || relative.pathname?.[0] === "/";
  const keepDots = !(relativeIsAbsolute || baseIsAbsolute || (result.host && relative.pathname));
  let mustBeAbsolute = !keepDots;
  let path = names(result.pathname);
  const added = names(relative.pathname);

  // Without slashes after the protocol the host is the first name of the path, and put back at the end.
  const hostInPath = result.protocol !== null && result.protocol !== "" && !slashed.has(result.protocol);
  if (hostInPath) {
    hostToPath(result, path);
    result.hostname = "";
    result.port = null;
    result.host = "";
    if (relative.protocol) {
      hostToPath(relative, added);
      relative.hostname = relative.port = relative.host = null;
      result.auth = null;
    }
    mustBeAbsolute &&= added[0] === "" || path[0] === "";
  }

  if (relativeIsAbsolute) {
    if (relative.host || relative.host === "") {
      if (result.host !== relative.host) result.auth = null;
      result.host = relative.host;
      result.port = relative.port;
    }
    if (relative.hostname || relative.hostname === "") {
      if (result.hostname !== relative.hostname) result.auth = null;
      result.hostname = relative.hostname;
    }
    result.search = relative.search;
    result.query = relative.query;
    path = added;
  } else if (added.length > 0) {
    // The last name of the base is a file, which the new names replace.
    path.pop();
    path = path.concat(added);
    result.search = relative.search;
    result.query = relative.query;
  } else if (relative.search !== null && relative.search !== undefined) {
    // Only a query.
    if (hostInPath) {
      result.hostname = result.host = path.shift() as string;
      splitAuth(result);
    }
    result.search = relative.search;
    result.query = relative.query;
    if (result.pathname !== null || result.search !== null)
      result.path = (result.pathname || "") + (result.search || "");
    return finish(result);
  }

  if (path.length === 0) {
    result.pathname = null;
    result.path = result.search ? `/${result.search}` : null;
    return finish(result);
  }

  // A path that ends in a dot segment is a directory.
  const last = path[path.length - 1];
  const dotsCount = result.host || relative.host || path.length > 1;
  const directory = last === "" || (dotsCount && (last === "." || last === ".."));
  path = applyDots(path, keepDots);
  if (mustBeAbsolute && path[0] !== "" && (!path[0] || path[0][0] !== "/")) path.unshift("");
  if (directory && !path.join("/").endsWith("/")) path.push("");
  const isAbsolute = path[0] === "" || path[0]?.[0] === "/";
  if (hostInPath) {
    result.hostname = result.host = isAbsolute ? "" : path.length > 0 ? path.shift()! : "";
    splitAuth(result);
  }
  if ((mustBeAbsolute || (result.host && path.length > 0)) && !isAbsolute) path.unshift("");
  if (path.length > 0) result.pathname = path.join("/");
  else result.pathname = result.path = null;
  if (result.pathname !== null || result.search !== null) result.path = (result.pathname || "") + (result.search || "");
  result.auth = relative.auth || result.auth;
  result.slashes ||= relative.slashes;
  return finish(result);
}

/** Applies "." and ".."; ".." above the top stays in front if `keep` is set, and vanishes otherwise. */
function applyDots(path: string[], keep: boolean): string[] {
  const out: string[] = [];
  let up = 0;
  for (let i = path.length - 1; i >= 0; i--) {
    const name = path[i]!;
    if (name === ".") continue;
    if (name === "..") up++;
    else if (up > 0) up--;
    else out.push(name);
  }
  if (keep) for (; up > 0; up--) out.push("..");
  return out.reverse();
}
