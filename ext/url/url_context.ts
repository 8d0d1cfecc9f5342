// What `util.inspect(url, { showHidden: true })` shows of a URL's inside. Node keeps such an object in each URL; here it is
// made for showing only.

const NONE = 0xffffffff;
const SCHEME_TYPES = ["http:", "", "https:", "ws:", "ftp:", "wss:", "file:"];

class URLContext {
  href = "";
  protocol_end = 0;
  username_end = 0;
  host_start = 0;
  host_end = 0;
  pathname_start = 0;
  search_start = NONE;
  hash_start = NONE;
  port = NONE;
  /** 1 for schemes that are not special. */
  scheme_type = 1;

  get hasPort() {
    return this.port !== NONE;
  }

  get hasSearch() {
    return this.search_start !== NONE;
  }

  get hasHash() {
    return this.hash_start !== NONE;
  }
}

/** The context of a URL; `usernameEnd` and `hostStart` are places in its href. */
export function contextOf(url: URL, usernameEnd: number, hostStart: number): URLContext {
  const { href, port } = url;
  const context = new URLContext();
  context.href = href;
  context.protocol_end = url.protocol.length;
  context.username_end = usernameEnd;
  context.host_start = hostStart;
  context.host_end = hostStart + url.hostname.length + (href[hostStart] === "@" ? 1 : 0);
  const query = href.indexOf("?");
  const fragment = href.indexOf("#");
  if (fragment !== -1) context.hash_start = fragment;
  if (query !== -1 && (fragment === -1 || query < fragment)) context.search_start = query;
  const end = Math.min(context.search_start, context.hash_start, href.length);
  context.pathname_start = end - url.pathname.length;
  if (port !== "") context.port = Number(port);
  const type = SCHEME_TYPES.indexOf(url.protocol);
  if (type !== -1) context.scheme_type = type;
  return context;
}
