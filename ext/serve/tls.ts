/** Bun.serve's `tls`: one set of options, or several with `serverName` of which the client's name chooses. */

import { TLS_MARK_ASKS } from "internal/net/native_constants";

const net = native("net");

/** Options of TLS for one name, as node:tls has them, with Blobs as files. */
interface CertificateOptions {
  [name: string]: unknown;
  serverName?: string;
  dhParamsFile?: string;
  requestCert?: boolean;
  rejectUnauthorized?: boolean;
}

function contentOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(contentOf);
  const { isBlob, blobBytesSync } = require("web/blob");
  if (!isBlob(value)) return value;
  return blobBytesSync(value) ?? require("node:fs").readFileSync((value as { name?: string }).name!);
}

function contextOf(options: CertificateOptions) {
  const given: { [key: string]: unknown } = {};
  for (const name of [
    "ca",
    "cert",
    "key",
    "passphrase",
    "ciphers",
    "secureOptions",
    "minVersion",
    "maxVersion",
    "crl",
    "sigalgs",
    "ecdhCurve",
  ]) {
    if (options[name] !== undefined && options[name] !== null) given[name] = contentOf(options[name]);
  }
  if (given.key === undefined || given.cert === undefined) {
    const error: NodeError = new TypeError("Bun.serve() with tls needs a key and a cert");
    error.code = "ERR_INVALID_ARG_TYPE";
    throw error;
  }
  if (options.dhParamsFile) given.dhparam = require("node:fs").readFileSync(options.dhParamsFile);
  return require("internal/net/tls/context").createSecureContext(given);
}

/** Whether a certificate's name, possibly with a wildcard, is that of a client. */
function matches(pattern: string, name: string): boolean {
  if (!pattern.startsWith("*.")) return pattern === name;
  const dot = name.indexOf(".");
  return dot > 0 && name.slice(dot) === pattern.slice(1);
}

/** What a connection of TLS needs; undefined where the options ask for none. */
export function certificates(tls: unknown, http1 = true, http2 = false) {
  const protocols = [...(http2 ? ["h2"] : []), ...(http1 ? ["http/1.1"] : [])];
  const list = Array.isArray(tls) ? tls : [tls];
  if (list.length === 0) return undefined;
  if (list.length === 1 && list[0].key === undefined && list[0].cert === undefined) return undefined;
  const entries = list.map((options: CertificateOptions) => ({
    name: options.serverName?.toLowerCase(),
    context: contextOf(options),
    options,
  }));
  if (list.some((options: CertificateOptions, index) => index > 0 && !options.serverName)) {
    const error: NodeError = new TypeError("SNI tls object must have a serverName");
    error.code = "ERR_INVALID_ARG_TYPE";
    throw error;
  }
  const entryFor = (name: string) => {
    const lower = name.toLowerCase();
    return entries.find((each) => each.name !== undefined && matches(each.name, lower)) ?? entries[0]!;
  };
  const requestCert = entries.some(({ options }) => options.requestCert);
  return {
    /** Waits for a ClientHello. */
    begin(socket: number) {
      net.tlsStartServer(socket, entries[0]!.context.context.id, requestCert ? TLS_MARK_ASKS : 0);
    },
    /** Whether clients are asked who they are. */
    requestCert,
    /** What an endpoint of QUIC, which chooses by itself, has to know: contexts, the first for all others, and their names. */
    forQuic() {
      return {
        contexts: entries.map(({ context }) => context.context.id as number),
        names: entries.map(({ name }) => name ?? ""),
        requestCert,
      };
    },
    /** A ClientHello: the name that is asked for, and the protocols that are offered, with commas. */
    choose(socket: number, name: string, offered: string) {
      // As in Bun, a client that offers others only is served, too: it says then what it speaks.
      const others = http1 && offered !== "" && !offered.split(",").some((protocol) => protocols.includes(protocol));
      net.tlsChoose(socket, entryFor(name).context.context.id, others ? [] : protocols);
    },
    /** Whether a client may come in, by the certificate that it has shown. */
    admits(socket: number): boolean {
      const info: string[] = net.tlsDescribe(socket);
      const { options } = entryFor(info[3]!);
      if (!options.requestCert || options.rejectUnauthorized === false) return true;
      return info[4] === "" && net.tlsPeer(socket).length > 0;
    },
  };
}
