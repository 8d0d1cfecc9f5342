/** TLS of fetch's connections: `tls` of fetch's options as in Bun and node:tls. */
import { fetchError, networkError } from "internal/fetch/errors";
import { isIP } from "internal/net/ip";
import type { Connection } from "internal/fetch/connection";
import type { SecureContext, TlsOptions } from "internal/fetch/types";

const net = native("net");

/** Contexts by what they were made of. */
const contexts = new Map<string, SecureContext>();
const MAX_CONTEXTS = 50;

const shown = (value: unknown): unknown =>
  ArrayBuffer.isView(value)
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("latin1")
    : typeof value === "function"
      ? "function"
      : value;

/** Text that is equal for options that make connections of one kind; "" if such connections are for one request only. */
export function tlsKey(options: TlsOptions | undefined): string {
  if (options === undefined) return "tls";
  if (typeof options.checkServerIdentity === "function") return "";
  const parts: { [key: string]: unknown } = {};
  for (const name of Object.keys(options).sort()) {
    const value = options[name];
    if (value !== undefined && value !== null)
      parts[name] = Array.isArray(value) ? value.map((item) => shown(item)) : shown(value);
  }
  return JSON.stringify(parts);
}

const contextOptions = [
  "ca",
  "cert",
  "key",
  "passphrase",
  "pfx",
  "ciphers",
  "minVersion",
  "maxVersion",
  "secureOptions",
  "sigalgs",
  "ecdhCurve",
  "crl",
  "secureProtocol",
];

/** The context of connections with these options. */
export function contextFor(options: TlsOptions | undefined): SecureContext {
  const { createSecureContext } = require("internal/net/tls/context");
  if (options === undefined) return createSecureContext();
  if (options.secureContext !== undefined) return options.secureContext;
  const given: { [key: string]: unknown } = {};
  for (const name of contextOptions)
    if (options[name] !== undefined && options[name] !== null) given[name] = options[name];
  // Files, as Bun takes them.
  Object.assign(given, withFiles(given));
  const key = tlsKey(given);
  let context = contexts.get(key);
  if (context === undefined) {
    context = createSecureContext(given);
    if (contexts.size >= MAX_CONTEXTS) contexts.delete(contexts.keys().next().value!);
    contexts.set(key, context);
  }
  return context;
}

/** Options of TLS with the content of the files among them: Blobs, as Bun takes them. */
export function withFiles(options: Record<string, unknown>): Record<string, unknown> {
  const all = { ...options };
  for (const name of ["ca", "cert", "key"]) if (all[name] !== undefined) all[name] = contentOf(all[name]);
  return all;
}

function contentOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(contentOf);
  const { isBlob, blobBytesSync } = require("web/blob");
  if (!isBlob(value)) return value;
  const bytes = blobBytesSync(value);
  if (bytes !== undefined) return bytes;
  return require("node:fs").readFileSync((value as { name?: string }).name!);
}

/** Begins the handshake with `hostname`. */
export function start(connection: Connection, hostname: string): void {
  const {
    tlsWithProxy,
    route: { tls: options, http2 },
  } = connection;
  try {
    const context = contextFor(options);
    // The name, the check and the protocol that the program says are those of the server.
    const given = tlsWithProxy ? undefined : (options?.servername ?? options?.serverName);
    const name = given ?? (isIP(hostname) ? "" : hostname);
    const protocols = http2 && !tlsWithProxy ? ["h2", "http/1.1"] : ["http/1.1"];
    // Sessions are kept by the context, for this server and these protocols.
    const key = `${name || hostname}:${connection.route.target.port}:${protocols.length}:${Boolean(tlsWithProxy)}`;
    const errno = net.tlsStartClient(
      connection.id,
      context.context.id,
      isIP(name) ? "" : name,
      protocols,
      8,
      key,
      undefined,
    );
    if (errno < 0) throw require("internal/core/errors").errnoException(errno, "write");
    connection.tlsName = name || hostname;
  } catch (error) {
    failed(connection, error as NodeError);
  }
}

function failed(connection: Connection, error: NodeError): void {
  const { exchange } = connection;
  connection.fail(exchange === undefined ? error : networkError(error, exchange.href));
}

/** Why the peer of a connection is not who it should be; `own`: the program's check says so. */
export function problemOf(
  id: number,
  name: string,
  options: TlsOptions | undefined,
  proxy = false,
): { error: NodeError; own: boolean } | undefined {
  const rejects =
    options?.rejectUnauthorized !== false &&
    (options?.rejectUnauthorized === true || process.env.NODE_TLS_REJECT_UNAUTHORIZED !== "0");
  if (!rejects) return undefined;
  const problem = net.tlsDescribe(id)[4];
  if (problem !== "") return { error: require("internal/net/tls/names").verifyError(problem), own: false };
  const { legacyCertificate } = require("internal/crypto/x509");
  const list = net.tlsPeer(id).map(legacyCertificate);
  for (let i = 0; i < list.length; i++) list[i].issuerCertificate ??= list[i + 1] ?? list[i];
  const check = proxy ? undefined : options?.checkServerIdentity;
  const own = check !== undefined && check !== null;
  let error: NodeError | null | undefined;
  try {
    error = own
      ? (check(name, list[0] ?? {}) as NodeError | undefined)
      : require("internal/net/tls/identity").checkServerIdentity(name, list[0] ?? {});
  } catch (thrown) {
    error = thrown as NodeError;
  }
  return error === undefined || error === null ? undefined : { error, own };
}

/** What TLS has to say, see native's Callback::Tls. */
export function event(connection: Connection, kind: number, code: string, text: string): void {
  const { tlsError } = require("internal/net/tls/socket");
  if (kind === 1) {
    // After the handshake it is a broken connection, before it a server that does not speak TLS.
    const { exchange } = connection;
    const cause = tlsError(code, text);
    connection.fail(exchange === undefined ? cause : fetchError("EPROTO", exchange.href, cause));
    return;
  }
  if (kind !== 0) return;
  const { id } = connection;
  // The check that the program gives is for the server, and not for a proxy before it.
  const problem = problemOf(id, connection.tlsName, connection.route.tls, connection.tlsWithProxy);
  if (problem !== undefined) {
    // The program's own error is for the program.
    if (problem.own) connection.fail(problem.error);
    else failed(connection, problem.error);
    return;
  }
  // What was written waits for this.
  net.tlsRelease(id);
  if (connection.route.http2 && !connection.tlsWithProxy)
    connection.exchange?.secured!(connection, net.tlsDescribe(id)[2]);
}
