/** Making connections: names, one address after another (RFC 8305), unix sockets, tunnels through proxies. */
import { fetchError, networkError } from "internal/fetch/errors";
import { hostAndPort, isIP } from "internal/net/ip";
import { table } from "internal/net/native";
import type { Connection } from "internal/fetch/connection";
import type { Proxy } from "internal/fetch/url_target";
import { ANSWER_TAKE_OVER } from "internal/net/native_constants";

const net = native("net");

/** How long an address has before the next one is tried beside it, in ms. */
const ATTEMPT_DELAY = 250;

interface Found {
  addresses: string[];
  until: number;
}
/** Addresses of names, and those who wait for them. */
const names = new Map<string, Found>();
const asked = new Map<string, ((error: NodeError | null | undefined, addresses?: string[]) => void)[]>();
/** What Bun.dns.getCacheStats() tells. */
export const stats = { cacheHitsCompleted: 0, cacheHitsInflight: 0, cacheMisses: 0, errors: 0, totalCount: 0 };
/** Names whose addresses are known. */
export const cacheSize = () => names.size;
/** How long addresses are kept, in ms. */
const lifetime = () => {
  const seconds = process.env.BUN_CONFIG_DNS_TIME_TO_LIVE_SECONDS;
  return seconds === undefined || seconds === "" ? 30_000 : Number(seconds) * 1000;
};

/** The addresses of a host: `done(error)` or `done(undefined, addresses)`, now if they are known. */
export function resolveHost(
  hostname: string,
  done: (error: NodeError | null | undefined, addresses?: string[]) => void,
): void {
  if (isIP(hostname)) {
    done(undefined, [hostname]);
    return;
  }
  const found = names.get(hostname);
  stats.totalCount++;
  if (found !== undefined && found.until > performance.now()) {
    stats.cacheHitsCompleted++;
    done(undefined, found.addresses);
    return;
  }
  const others = asked.get(hostname);
  if (others !== undefined) {
    stats.cacheHitsInflight++;
    others.push(done);
    return;
  }
  stats.cacheMisses++;
  const list = [done];
  asked.set(hostname, list);
  const answer = (error: NodeError | null | undefined, addresses?: string[]) => {
    asked.delete(hostname);
    if (addresses !== undefined) {
      if (names.size > 500) names.clear();
      names.set(hostname, { addresses, until: performance.now() + lifetime() });
    } else {
      stats.errors++;
    }
    for (const each of list) each(error ?? undefined, addresses);
  };
  const dns = require("node:dns");
  require("internal/net/dns/lookup").query(hostname, 0, dns.ADDRCONFIG, dns.getDefaultResultOrder(), answer);
}

/** One of each family in turn, beginning with the first one's. */
function interleaved(addresses: string[]): string[] {
  const first = isIP(addresses[0]!);
  const one = addresses.filter((address) => isIP(address) === first);
  const other = addresses.filter((address) => isIP(address) !== first);
  const result: string[] = [];
  for (let i = 0; i < Math.max(one.length, other.length); i++) {
    if (i < one.length) result.push(one[i]!);
    if (i < other.length) result.push(other[i]!);
  }
  return result;
}

/** Has `connection.connectedTo(id)` called, or `connection.fail(error)`. */
export function dial(connection: Connection): void {
  const { target, proxy, unix } = connection.route;
  const dialer = (connection.dialer = new Dialer(connection));
  if (unix !== undefined) {
    dialer.unix(unix);
    return;
  }
  const { hostname, port } = proxy ?? target;
  resolveHost(hostname, (error, addresses) => {
    if (connection.dialer !== dialer) return;
    if (error !== undefined) dialer.failed(error!);
    else dialer.addresses(interleaved(addresses!), port);
  });
}

/** The attempts to make one connection. */
class Dialer {
  connection: Connection;
  list: string[] = [];
  port = 0;
  next = 0;
  errors: NodeError[] = [];
  attempts = new Set<Attempt>();
  timer: ReturnType<typeof setTimeout> | undefined = undefined;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  unix(path: string): void {
    const id = net.connectUnix(path);
    const error = (errno: number) =>
      require("internal/core/errors").exceptionWithHostPort(errno, "connect", path, undefined);
    if (id < 0) queueMicrotask(() => this.failed(error(id)));
    else this.attempts.add(new Attempt(this, id, error));
  }

  addresses(list: string[], port: number): void {
    this.list = list;
    this.port = port;
    this.attempt();
  }

  attempt(): void {
    clearTimeout(this.timer);
    while (this.next < this.list.length) {
      const address = this.list[this.next++]!;
      const { port } = this;
      const id = net.connectTcp(address, port, undefined, 0);
      const error = (errno: number) =>
        require("internal/core/errors").exceptionWithHostPort(errno, "connect", address, port);
      if (id < 0) {
        this.errors.push(error(id));
        continue;
      }
      this.attempts.add(new Attempt(this, id, error));
      if (this.next < this.list.length) this.timer = setTimeout(() => this.attempt(), ATTEMPT_DELAY);
      return;
    }
    if (this.attempts.size > 0) return;
    const { errors } = this;
    let error = errors[0]!;
    if (errors.length > 1) {
      const { NodeAggregateError } = require("internal/core/errors");
      error = new NodeAggregateError(errors, "");
      error.code = errors[0]!.code;
      error.errno = errors[0]!.errno;
    }
    this.failed(error);
  }

  failed(error: NodeError): void {
    const { connection } = this;
    if (connection.dialer !== this) return;
    const { exchange } = connection;
    connection.fail(exchange === undefined ? error : networkError(error, exchange.href));
  }

  done(attempt: Attempt, errno: number): void {
    this.attempts.delete(attempt);
    if (errno === 0) {
      attempt.id = -1;
      const { connection } = this;
      this.cancel();
      connection.connectedTo(attempt.number);
      return;
    }
    attempt.close();
    this.errors.push(attempt.error(errno));
    this.attempt();
  }

  cancel(): void {
    clearTimeout(this.timer);
    for (const attempt of this.attempts) attempt.close();
    this.attempts.clear();
  }
}

/** A socket that connects. */
class Attempt {
  id: number;
  number: number;
  context = undefined;
  onclose = undefined;
  dialer: Dialer;
  error: (errno: number) => NodeError;

  constructor(dialer: Dialer, id: number, error: (errno: number) => NodeError) {
    this.id = this.number = id;
    this.dialer = dialer;
    this.error = error;
    table[id] = this;
  }

  connected(errno: number): void {
    if (this.id >= 0) this.dialer.done(this, errno);
  }

  written(): void {}
  onread(): void {}

  close(): void {
    const { id } = this;
    this.id = -1;
    if (id >= 0) net.close(id, false);
  }
}

/** Asks a proxy for a connection to the target, and goes on with TLS inside it. */
export function tunnelThrough(connection: Connection, proxy: Proxy): void {
  const { target } = connection.route;
  const href = connection.exchange?.href ?? target.href;
  const name = hostAndPort(target.hostname, target.port);
  let head = `CONNECT ${name} HTTP/1.1\r\nHost: ${name}\r\nProxy-Connection: Keep-Alive\r\n`;
  if (proxy.authorization !== undefined) head += `Proxy-Authorization: ${proxy.authorization}\r\n`;
  for (const [key, value] of proxy.headers) head += `${key}: ${value}\r\n`;
  connection.tunnel = {
    head(info: number, text: string) {
      const status = info & 1023;
      if (status >= 200 && status < 300) return ANSWER_TAKE_OVER;
      if (status < 200) return 1;
      const end = text.indexOf("\0");
      const cause: NodeError = new Error(
        `Proxy refused to open a tunnel: ${status} ${end === -1 ? text : text.slice(0, end)}`,
      );
      cause.code = "ERR_PROXY_TUNNEL";
      connection.fail(fetchError("ERR_PROXY_TUNNEL", href, cause));
      return 1;
    },
    open() {
      connection.tunnel = undefined;
      if (target.protocol === "https:" && proxy.protocol === "https:") {
        connection.freeParser();
        const inner: number = require("internal/fetch/tls_in_tls").relay(connection.id);
        if (inner < 0) {
          connection.fail(networkError(require("internal/core/errors").errnoException(inner, "socketpair"), href));
          return;
        }
        connection.replaceSocket(inner);
      }
      connection.listen(false);
      if (target.protocol === "https:") connection.startTls(target.hostname, false);
      connection.ready();
    },
  };
  connection.listen(true);
  if (proxy.protocol === "https:") connection.startTls(proxy.hostname, true);
  connection.write(`${head}\r\n`, undefined);
}
