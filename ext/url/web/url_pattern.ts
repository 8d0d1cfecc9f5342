// `URLPattern` (https://urlpattern.spec.whatwg.org/).
import { codedTypeError, codes } from "internal/core/errors";
import * as canonical from "internal/url/url_pattern/canonical";
import { Component, escapePattern, type Match, type Options } from "internal/url/url_pattern/component";
import { parseConstructorString } from "internal/url/url_pattern/constructor_string";
import { URL } from "web/url";

const inspectCustom = Symbol.for("nodejs.util.inspect.custom");
const names = ["protocol", "username", "password", "hostname", "port", "pathname", "search", "hash"] as const;
type Name = (typeof names)[number];
type Init = Partial<Record<Name | "baseURL", string>>;
/** What exec() gives. */
type Found = { inputs: unknown[] } & Partial<Record<Name, Match>>;
type Values = Partial<Record<Name, string>>;

const { defaultPorts } = canonical;

function plainOptions(): Options {
  return { delimiter: "", prefix: "", ignoreCase: false };
}

/** Whether a compiled protocol matches a special scheme. */
function matchesSpecial(protocol: Component): boolean {
  for (const scheme in defaultPorts) if (protocol.test(scheme)) return true;
  return false;
}

/** Reads the members of a URLPatternInit in the order of Web IDL (by name). */
function readInit(value: unknown): Init {
  const init: Init = {};
  for (const name of [
    "baseURL",
    "hash",
    "hostname",
    "password",
    "pathname",
    "port",
    "protocol",
    "search",
    "username",
  ] as const) {
    const member = (value as { [member: string]: unknown })[name];
    if (member !== undefined) init[name] = `${member}`.toWellFormed();
  }
  return init;
}

function isAbsolutePath(path: string, isPattern: boolean): boolean {
  if (path[0] === "/") return true;
  return isPattern && (path.startsWith("\\/") || path.startsWith("{/"));
}

/** The components an init gives; those it leaves out come from its base URL, as far as they precede the first it has. */
function processInit(init: Init, isPattern: boolean, defaults: Values): Values {
  const result: Values = { ...defaults };
  const fromBase = (text: string) => (isPattern ? escapePattern(text) : text);
  let base: URL | undefined;
  if (init.baseURL !== undefined) {
    base = new URL(init.baseURL);
    const lacks = (...list: Name[]) => list.every((name) => init[name] === undefined);
    if (lacks("protocol")) result.protocol = fromBase(base.protocol.slice(0, -1));
    if (!isPattern && lacks("protocol", "hostname", "port", "username")) result.username = base.username;
    if (!isPattern && lacks("protocol", "hostname", "port", "username", "password")) result.password = base.password;
    if (lacks("protocol", "hostname")) result.hostname = fromBase(base.hostname);
    if (lacks("protocol", "hostname", "port")) result.port = base.port;
    if (lacks("protocol", "hostname", "port", "pathname")) result.pathname = fromBase(base.pathname);
    if (lacks("protocol", "hostname", "port", "pathname", "search")) result.search = fromBase(base.search.slice(1));
    if (lacks("protocol", "hostname", "port", "pathname", "search", "hash")) result.hash = fromBase(base.hash.slice(1));
  }
  const convert = (encode: (text: string) => string, value: string) => (isPattern ? value : encode(value));
  if (init.protocol !== undefined) result.protocol = convert(canonical.protocol, init.protocol.replace(/:$/, ""));
  if (init.username !== undefined) result.username = convert(canonical.username, init.username);
  if (init.password !== undefined) result.password = convert(canonical.password, init.password);
  if (init.hostname !== undefined) result.hostname = convert(canonical.hostname, init.hostname);
  const protocol = result.protocol ?? "";
  if (init.port !== undefined) result.port = convert((text) => canonical.port(text, protocol), init.port);
  if (init.pathname !== undefined) {
    let path = init.pathname;
    if (base !== undefined && base.pathname[0] === "/" && !isAbsolutePath(path, isPattern)) {
      const directory = fromBase(base.pathname);
      path = directory.slice(0, directory.lastIndexOf("/") + 1) + path;
    }
    const special = protocol === "" || defaultPorts[protocol] !== undefined;
    result.pathname = convert(special ? canonical.pathname : canonical.opaquePathname, path);
  }
  if (init.search !== undefined) result.search = convert(canonical.search, init.search.replace(/^\?/, ""));
  if (init.hash !== undefined) result.hash = convert(canonical.hash, init.hash.replace(/^#/, ""));
  return result;
}

function compile(values: Values, ignoreCase: boolean): Record<Name, Component> {
  const plain = plainOptions();
  const cased = { ...plain, ignoreCase };
  const protocol = new Component(values.protocol ?? "*", canonical.protocol, plain);
  const host = values.hostname ?? "*";
  const isIpv6 = /^(?:\[|\{\[|\\\[)/.test(host) && host.length >= 2;
  const path = values.pathname ?? "*";
  return {
    protocol,
    username: new Component(values.username ?? "*", canonical.username, plain),
    password: new Component(values.password ?? "*", canonical.password, plain),
    hostname: new Component(host, isIpv6 ? canonical.ipv6Hostname : canonical.hostname, { ...plain, delimiter: "." }),
    port: new Component(values.port ?? "*", canonical.port, plain),
    pathname: matchesSpecial(protocol)
      ? new Component(path, canonical.pathname, { delimiter: "/", prefix: "/", ignoreCase })
      : new Component(path, canonical.opaquePathname, cased),
    search: new Component(values.search ?? "*", canonical.search, cased),
    hash: new Component(values.hash ?? "*", canonical.hash, cased),
  };
}

function isInit(value: unknown): boolean {
  return value !== null && (typeof value === "object" || typeof value === "function");
}

let isPattern: (value: unknown) => value is URLPattern;
let component: (pattern: URLPattern, name: Name) => string;

class URLPattern {
  #components: Record<Name, Component>;

  /**
   * new URLPattern(init or text, baseURL, { ignoreCase }), or new URLPattern(init or text, { ignoreCase }).
   * Throws TypeError for a pattern that is not well-formed, ERR_INVALID_ARG_TYPE for arguments of other types.
   */
  constructor(input: unknown = {}, second: unknown = undefined, third: unknown = undefined) {
    if ((typeof input !== "string" && !isInit(input)) || (arguments.length > 0 && arguments[0] === undefined)) {
      throw codedTypeError("ERR_INVALID_ARG_TYPE", "Input must be an object or a string");
    }
    let baseURL: string | undefined;
    let options = second;
    if (typeof second === "string" || arguments.length > 2) {
      if (typeof second !== "string") throw new codes.ERR_INVALID_ARG_TYPE("baseURL", "string", second);
      baseURL = second.toWellFormed();
      options = third;
    }
    if (options != null && !isInit(options)) throw new codes.ERR_INVALID_ARG_TYPE("options", "object", options);
    const ignoreCase = (options as { ignoreCase?: unknown } | null | undefined)?.ignoreCase;
    if (ignoreCase !== undefined && typeof ignoreCase !== "boolean") {
      throw new codes.ERR_INVALID_ARG_TYPE("options.ignoreCase", "boolean", ignoreCase);
    }

    // What a getter of the object throws is not the pattern's fault.
    const init = typeof input === "string" ? input : readInit(input);
    try {
      this.#components = this.#compile(init, baseURL, ignoreCase ?? false);
    } catch (cause) {
      const error = codedTypeError("ERR_INVALID_URL_PATTERN", "Failed to construct URLPattern");
      error.cause = cause;
      throw error;
    }
  }

  #compile(input: string | Init, baseURL: string | undefined, ignoreCase: boolean): Record<Name, Component> {
    let init: Init;
    if (typeof input === "string") {
      init = parseConstructorString(input.toWellFormed(), (protocol) =>
        matchesSpecial(new Component(protocol, canonical.protocol, plainOptions())),
      );
      if (baseURL !== undefined) init.baseURL = baseURL;
      else if (init.protocol === undefined) throw new TypeError("A relative URL pattern needs a base URL");
    } else {
      if (baseURL !== undefined) throw new TypeError("A base URL goes into the object of a URL pattern, not beside it");
      init = input;
    }
    const values = processInit(init, true, {});
    const { protocol, port } = values;
    if (protocol !== undefined && port !== undefined && defaultPorts[protocol] === port) values.port = "";
    return compile(values, ignoreCase);
  }

  /** Whether a URL (text, or an object of components) matches. */
  test(input: unknown = {}, baseURL: unknown = undefined): boolean {
    if (!isPattern(this)) throw new TypeError("Illegal invocation");
    const found = this.#values(input, baseURL);
    if (found === null) return false;
    return names.every((name) => this.#components[name].test(found.values[name]!));
  }

  /** The match: `inputs`, and for each component its input and the groups of the pattern; null if there is none. */
  exec(input: unknown = {}, baseURL: unknown = undefined): Found | null {
    if (!isPattern(this)) throw new TypeError("Illegal invocation");
    const found = this.#values(input, baseURL);
    if (found === null) return null;
    const result: Found = { inputs: found.inputs };
    for (const name of names) {
      const match: Match | null = this.#components[name].match(found.values[name]!);
      if (match === null) return null;
      result[name] = match;
    }
    return result;
  }

  /** The components of what shall be matched; null if it is no URL. */
  #values(input: unknown, baseURL: unknown): { values: Values; inputs: unknown[] } | null {
    if (typeof input !== "string" && !isInit(input)) {
      throw new codes.ERR_INVALID_ARG_TYPE("input", ["object", "string"], input);
    }
    if (baseURL !== undefined && typeof baseURL !== "string") {
      throw new codes.ERR_INVALID_ARG_TYPE("baseURL", "string", baseURL);
    }
    if (typeof input === "string") {
      const url = URL.parse(input, baseURL);
      if (url === null) return null;
      const values: Values = {
        protocol: url.protocol.slice(0, -1),
        username: url.username,
        password: url.password,
        hostname: url.hostname,
        port: url.port,
        pathname: url.pathname,
        search: url.search.slice(1),
        hash: url.hash.slice(1),
      };
      return { values, inputs: baseURL === undefined ? [input] : [input, baseURL] };
    }
    if (baseURL !== undefined) throw new TypeError("A base URL goes into the object to match, not beside it");
    const init = readInit(input);
    const empty: Values = {
      protocol: "",
      username: "",
      password: "",
      hostname: "",
      port: "",
      pathname: "",
      search: "",
      hash: "",
    };
    try {
      return { values: processInit(init, false, empty), inputs: [input] };
    } catch {
      return null;
    }
  }

  get protocol(): string {
    return component(this, "protocol");
  }
  get username(): string {
    return component(this, "username");
  }
  get password(): string {
    return component(this, "password");
  }
  get hostname(): string {
    return component(this, "hostname");
  }
  get port(): string {
    return component(this, "port");
  }
  get pathname(): string {
    return component(this, "pathname");
  }
  get search(): string {
    return component(this, "search");
  }
  get hash(): string {
    return component(this, "hash");
  }

  /** Whether some component has a regular expression in parentheses. */
  get hasRegExpGroups(): boolean {
    if (!isPattern(this)) throw new TypeError("Illegal invocation");
    return names.some((name) => this.#components[name].hasRegExpGroups);
  }

  [inspectCustom](depth: number | null, options: unknown) {
    if (!isPattern(this) || (typeof depth === "number" && depth < 0)) return this;
    const shown: { [name: string]: unknown } = { __proto__: { constructor: URLPattern } };
    for (const name of names) shown[name] = this.#components[name].text;
    shown.hasRegExpGroups = this.hasRegExpGroups;
    return require("internal/util/inspect").inspect(shown, options);
  }

  static {
    isPattern = (value): value is URLPattern => typeof value === "object" && value !== null && #components in value;
    component = (pattern, name) => {
      if (!isPattern(pattern)) throw new TypeError("Illegal invocation");
      return pattern.#components[name].text;
    };
  }
}

const enumerable = { enumerable: true };
Object.defineProperties(URLPattern.prototype, {
  protocol: enumerable,
  username: enumerable,
  password: enumerable,
  hostname: enumerable,
  port: enumerable,
  pathname: enumerable,
  search: enumerable,
  hash: enumerable,
  hasRegExpGroups: enumerable,
  test: enumerable,
  exec: enumerable,
  [Symbol.toStringTag]: { configurable: true, value: "URLPattern" },
});

export { URLPattern };
