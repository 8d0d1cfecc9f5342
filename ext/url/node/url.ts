// `node:url` (https://nodejs.org/api/url.html): the WHATWG classes, file URLs, and the legacy API.
import { lazyProperties } from "internal/core/lazy";
import { codes } from "internal/core/errors";
import { fileURLToPath, fileURLToPathBuffer, isURL, pathToFileURL } from "internal/url/url";
import { parseUrl, Url } from "internal/url/url_legacy";
import { validateObject } from "internal/core/validators";
import { URL } from "web/url";

const ops = native("url");

let deprecationSettled = false;
let deprecationChecks = 0;

/** Emits DEP0169 once, unless the caller is code under node_modules. */
function warnParse(): void {
  // After very many calls from node_modules the stack is not looked at any more: it costs more than it tells.
  if (++deprecationChecks > 1000) deprecationSettled = true;
  if (require("internal/module/inside_node_modules").insideNodeModules(warnParse)) return;
  deprecationSettled = true;
  process.emitWarning(
    "`url.parse()` behavior is not standardized and prone to errors that have security implications. Use the WHATWG URL " +
      "API instead. CVEs are not issued for `url.parse()` vulnerabilities.",
    "DeprecationWarning",
    "DEP0169",
  );
}

/**
 * url.parse(): a legacy Url object. Throws ERR_INVALID_ARG_TYPE, ERR_INVALID_URL, ERR_INVALID_ARG_VALUE, URIError.
 * @param parseQueryString give `query` as an object
 * @param slashesDenoteHost take "//host/path" for a host and a path
 */
function urlParse(url: unknown, parseQueryString?: boolean, slashesDenoteHost?: boolean) {
  if (!deprecationSettled) warnParse();
  return parseUrl(url, parseQueryString, slashesDenoteHost);
}

/** url.resolve(): resolves a URL against another, by the rules of the legacy API. */
function urlResolve(source: unknown, relative: unknown): string {
  return parseUrl(source, false, true).resolve(relative);
}

/** As url.resolve, with a Url object as the result; without a source the answer is `relative`. */
function urlResolveObject(source: unknown, relative: unknown) {
  return source ? parseUrl(source, false, true).resolveObject(relative) : relative;
}

/**
 * url.format(): of a URL, with options to leave out `auth`, `search` or `fragment` and to show the host in Unicode; of a
 * legacy Url, of an object with such fields, or of text, which is parsed first.
 */
function urlFormat(urlObject: unknown, options?: unknown): string {
  if (typeof urlObject === "string") {
    urlObject = parseUrl(urlObject);
  } else if (typeof urlObject !== "object" || urlObject === null) {
    throw new codes.ERR_INVALID_ARG_TYPE("urlObject", ["Object", "string"], urlObject);
  } else if (isURL(urlObject)) {
    return formatURL(urlObject, options);
  }
  return Url.prototype.format.call(urlObject);
}

function formatURL(url: URL, options: unknown): string {
  let fragment = true;
  let unicode = false;
  let search = true;
  let auth = true;
  if (options) {
    validateObject(options, "options");
    if (options.fragment != null) fragment = Boolean(options.fragment);
    if (options.unicode != null) unicode = Boolean(options.unicode);
    if (options.search != null) search = Boolean(options.search);
    if (options.auth != null) auth = Boolean(options.auth);
  }
  const { href } = url;
  if (fragment && !unicode && search && auth) return href;
  // What is left out is left out of a copy by its own rules; only a host in Unicode is not a URL any more.
  const copy = new URL(href);
  if (!fragment) copy.hash = "";
  if (!search) copy.search = "";
  if (!auth) {
    copy.username = "";
    copy.password = "";
  }
  const { hostname } = copy;
  if (!unicode || hostname === "") return copy.href;
  const shown = ops.domainToUnicode(hostname);
  const at = copy.href.indexOf("@") + 1;
  const start = copy.username === "" && copy.password === "" ? copy.href.indexOf("//") + 2 : at;
  return copy.href.slice(0, start) + shown + copy.href.slice(start + hostname.length);
}

/** url.domainToASCII(): the domain as a URL's host would have it; "" if it is not valid. */
function domainToASCII(domain: string): string {
  if (arguments.length < 1) throw new codes.ERR_MISSING_ARGS("domain");
  return ops.domainToAscii(`${domain}`);
}

/** url.domainToUnicode(): the reverse; "" if the domain is not valid. */
function domainToUnicode(domain: string): string {
  if (arguments.length < 1) throw new codes.ERR_MISSING_ARGS("domain");
  return ops.domainToUnicode(`${domain}`);
}

/** url.urlToHttpOptions(): the options of http.request for a URL, with everything a program may have put on the URL. */
function urlToHttpOptions(url: URL) {
  validateObject(url, "url", 4 | 2);
  const { hostname, pathname, port, username, password, search } = url;
  const options: { [name: string]: unknown } = {
    __proto__: null,
    ...url,
    protocol: url.protocol,
    hostname: hostname && hostname[0] === "[" ? hostname.slice(1, -1) : hostname,
    hash: url.hash,
    search,
    pathname,
    path: `${pathname || ""}${search || ""}`,
    href: url.href,
  };
  if (port !== "") options.port = Number(port);
  if (username || password) options.auth = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return options;
}

const exported = {
  Url,
  parse: urlParse,
  resolve: urlResolve,
  resolveObject: urlResolveObject,
  format: urlFormat,
  URL,
  URLPattern: undefined,
  URLSearchParams: undefined,
  domainToASCII,
  domainToUnicode,
  pathToFileURL,
  fileURLToPath,
  fileURLToPathBuffer,
  urlToHttpOptions,
};

lazyProperties(exported, () => require("web/url_pattern"), ["URLPattern"]);
lazyProperties(exported, () => require("web/url_search_params"), ["URLSearchParams"]);

export default exported;
