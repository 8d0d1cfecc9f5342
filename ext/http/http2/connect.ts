// http2.connect().

import { codes } from "internal/core/errors";
import { ClientHttp2Session } from "internal/http/http2/session";
import {
  assertIsArray,
  assertIsObject,
  kAuthority,
  kProtocol,
  MAX_ADDITIONAL_SETTINGS,
} from "internal/http/http2/util";
import { isIP } from "internal/net/ip";
import { promisify } from "internal/core/util";
import { validateBoolean } from "internal/core/validators";
import type { ServerOptions } from "internal/http/http2/server";
import type { SessionSocket } from "internal/http/http2/session";

/** https://nodejs.org/api/http2.html#http2connectauthority-options-listener */
interface ConnectOptions extends ServerOptions {
  createConnection?(authority: Authority, options: ConnectOptions): SessionSocket;
  protocol?: string;
  /** The name for TLS. */
  servername?: string;
}

type Connected = (session: ClientHttp2Session, socket: SessionSocket) => void;

/** Whom to connect to: a URL, or what there is of one. */
interface Authority {
  protocol?: string;
  host?: string;
  hostname?: string;
  port?: string | number;
}

/** A session with a server, which connects. */
export function connect(
  authority: string | Authority,
  options?: ConnectOptions | Connected,
  listener?: Connected,
): ClientHttp2Session {
  if (typeof options === "function") {
    listener = options;
    options = undefined;
  }
  assertIsObject(options, "options");
  options = { ...options };
  assertIsArray(options.remoteCustomSettings, "options.remoteCustomSettings");
  if (options.remoteCustomSettings) {
    options.remoteCustomSettings = [...options.remoteCustomSettings];
    if (options.remoteCustomSettings.length > MAX_ADDITIONAL_SETTINGS)
      throw new codes.ERR_HTTP2_TOO_MANY_CUSTOM_SETTINGS();
  }
  if (options.strictSingleValueFields !== undefined)
    validateBoolean(options.strictSingleValueFields, "options.strictSingleValueFields");
  else options.strictSingleValueFields = true;
  if (typeof authority === "string") authority = new URL(authority);
  assertIsObject(authority, "authority", ["string", "Object", "URL"]);

  const protocol = authority.protocol || options.protocol || "https:";
  const port = `${authority.port !== "" ? authority.port : authority.protocol === "http:" ? 80 : 443}`;
  let host = "localhost";
  if (authority.hostname) {
    host = authority.hostname;
    if (host[0] === "[") host = host.slice(1, -1);
  } else if (authority.host) {
    host = authority.host;
  }
  let socket: SessionSocket;
  if (typeof options.createConnection === "function") {
    socket = options.createConnection(authority, options);
  } else if (protocol === "http:") {
    socket = require("node:net").connect({ port, host, ...options }) as unknown as SessionSocket;
  } else if (protocol === "https:") {
    const { tlsOptions } = require("internal/http/http2/server");
    socket = require("node:tls").connect(
      port,
      host,
      tlsOptions(options, isIP(host) ? undefined : host),
    ) as unknown as SessionSocket;
  } else {
    throw new codes.ERR_HTTP2_UNSUPPORTED_PROTOCOL(protocol);
  }
  const session = new ClientHttp2Session(options, socket);
  session[kAuthority] = `${options.servername || host}:${port}`;
  session[kProtocol] = protocol;
  if (typeof listener === "function") session.once("connect", listener);
  return session;
}

const connected = function (authority: string | Authority, options?: ConnectOptions): Promise<ClientHttp2Session> {
  return new Promise((resolve, reject) => {
    const session = connect(authority, options, () => {
      session.removeListener("error", reject);
      resolve(session);
    });
    session.once("error", reject);
  });
};
Object.defineProperty(connected, "name", { value: "connect", configurable: true });
Object.defineProperty(connect, promisify.custom, { value: connected });
