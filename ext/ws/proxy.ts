/** Connections of a client of `ws` through a proxy: a CONNECT to it, and TLS to the server within (RFC 9110, 9.3.6). */

import { hostAndPort } from "internal/net/ip";

import type { Connection } from "internal/ws/types";

/** The proxy's address, with the headers of the request to it; as Bun's WebSocket takes it. */
export type Proxy = string | URL | { url: string | URL; headers?: Record<string, string> };

interface Answer {
  statusCode: number;
}
type Done = (error: Error | null, connection?: Connection) => void;

/**
 * A `createConnection` for http.request that goes by way of a proxy; `tls`: options of the TLS connections to the proxy and to the server,
 * `secure`: the server speaks TLS. Throws SyntaxError for what is no address.
 */
export function tunnel(
  proxy: Proxy,
  tls: Record<string, unknown> | undefined,
  secure: boolean,
): (options: Record<string, unknown>, done: Done) => void {
  const given = typeof proxy === "object" && "url" in proxy ? proxy : { url: proxy as string | URL };
  let url: URL;
  try {
    url = new URL(String(given.url));
  } catch {
    throw new SyntaxError(`Invalid proxy URL: ${given.url}`);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new SyntaxError(`Invalid proxy URL: ${url.href} (its protocol must be "http:" or "https:")`);
  return ({ host, port }, done) => {
    const place = hostAndPort(host as string, port as number);
    const settings: Record<string, unknown> = {
      ...tls,
      agent: false,
      method: "CONNECT",
      host: url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname,
      port: url.port || (url.protocol === "https:" ? 443 : 80),
      path: place,
      headers: { Host: place, ...given.headers },
    };
    if (url.username || url.password)
      settings.auth = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    const request = require(url.protocol === "https:" ? "node:https" : "node:http").request(settings);
    request.once("error", done);
    request.once("response", (response: Answer) => {
      request.destroy();
      done(new Error(`Proxy ${url.host} answered CONNECT ${place} with ${response.statusCode}`));
    });
    request.once("connect", ({ statusCode }: Answer, connection: Connection) => {
      if (statusCode < 200 || statusCode >= 300) {
        connection.destroy();
        done(new Error(`Proxy ${url.host} answered CONNECT ${place} with ${statusCode}`));
        return;
      }
      if (!secure) return done(null, connection);
      const net = require("node:net");
      const servername = net.isIP(host) ? "" : host;
      const inner = require("node:tls").connect({ servername, ...tls, socket: connection });
      done(null, inner as unknown as Connection);
    });
    request.end();
  };
}
