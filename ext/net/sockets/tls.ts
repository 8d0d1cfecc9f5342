/** TLS of Bun.listen and Bun.connect: the handshake as their handlers see it, certificates, and `upgradeTLS`. */
import { FastBuffer } from "internal/buffer/base";
import { isIP } from "internal/net/ip";
import { invalidType } from "bun/util";
import { Handlers, handlersOf, Link, socketFor } from "internal/net/sockets/socket";
import { TLS_EVENT_FAILED, TLS_EVENT_HELLO, TLS_HELLO_EVENT, TLS_MARK_ASKS } from "internal/net/native_constants";

import type { SecureContext } from "internal/net/tls/context";
import type { ContextHolder, PeerCertificate, SecureContextOptions } from "internal/net/types";

const net = native("net");

function contentOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(contentOf);
  const { isBlob, blobBytesSync } = require("web/blob");
  if (isBlob(value)) return blobBytesSync(value) ?? require("node:fs").readFileSync((value as { name?: unknown }).name);
  // Bun takes all kinds of buffers.
  return typeof value === "string" ? value : (require("bun/util").bytesOf(value) ?? value);
}

/** The option `tls`: what createSecureContext() takes, with Bun's kinds of files, and terms of the handshake. */
interface BunTLSOptions extends SecureContextOptions {
  secureContext?: ContextHolder;
  dhParamsFile?: string;
  serverName?: unknown;
  servername?: unknown;
  ALPNProtocols?: unknown;
  requestCert?: unknown;
  rejectUnauthorized?: unknown;
  checkServerIdentity?: unknown;
}

/** Certificates and keys of `tls`: true, or options as for Bun.serve. */
function contextOf(tls: true | BunTLSOptions): ContextHolder {
  const { createSecureContext } = require("internal/net/tls/context");
  if (tls === true) return createSecureContext();
  if (tls.secureContext) return tls.secureContext;
  const given: Record<string, unknown> = {};
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
    "dhparam",
    "sigalgs",
    "ecdhCurve",
  ] as const) {
    if (tls[name] !== undefined && tls[name] !== null) given[name] = contentOf(tls[name]);
  }
  if (tls.dhParamsFile) given.dhparam = require("node:fs").readFileSync(tls.dhParamsFile);
  return createSecureContext(given);
}

/** Names of protocols: bytes with lengths as in TLS, also in a string; a list of names; or names with commas. */
function protocolsOf(value: unknown): string[] {
  if (value === undefined || value === null || value === "") return [];
  if (Array.isArray(value)) return value.map(String);
  const text =
    typeof value === "string" ? value : Buffer.from(require("bun/util").bytesOf(value) ?? unknown()).toString("latin1");
  const list: string[] = [];
  let at = 0;
  for (; at < text.length; at += 1 + text.charCodeAt(at)) list.push(text.slice(at + 1, at + 1 + text.charCodeAt(at)));
  return at === text.length ? list : text.split(",");
}

function unknown(): never {
  throw invalidType("TLSOptions.ALPNProtocols must be of type string, ArrayBuffer, or null");
}

/** What is the same for all connections of a listener, or is known of one before it exists. */
export interface Terms {
  context: SecureContext;
  protocols: string[];
  isServer: boolean;
  requestCert: boolean;
  rejects: boolean;
  serverName: string | undefined;
  check: ((hostname: string, certificate: PeerCertificate) => NodeError | undefined) | undefined;
  cert: unknown;
}

/** Checks the option `tls`. */
export function termsOf(tls: true | BunTLSOptions, isServer: boolean): Terms {
  if (tls !== true && (typeof tls !== "object" || tls === null)) throw invalidType("TLSOptions must be an object");
  const name = (tls as BunTLSOptions).serverName ?? (tls as BunTLSOptions).servername;
  return {
    context: contextOf(tls).context,
    protocols: protocolsOf((tls as BunTLSOptions).ALPNProtocols),
    isServer,
    requestCert: isServer && Boolean((tls as BunTLSOptions).requestCert),
    rejects:
      (tls as BunTLSOptions).rejectUnauthorized === undefined || (tls as BunTLSOptions).rejectUnauthorized === null
        ? isServer || process.env.NODE_TLS_REJECT_UNAUTHORIZED !== "0"
        : Boolean((tls as BunTLSOptions).rejectUnauthorized),
    serverName: name === undefined || name === null ? undefined : `${name}`,
    check:
      typeof (tls as BunTLSOptions).checkServerIdentity === "function"
        ? ((tls as BunTLSOptions).checkServerIdentity as Terms["check"])
        : undefined,
    cert: tls === true ? undefined : tls.cert,
  };
}

function protocolError(code: string): NodeError {
  const error: NodeError & { library?: string } = new Error(
    `SSL routines:OPENSSL_internal:${code.replace(/^ERR_SSL_/, "")}`,
  );
  error.code = "EPROTO";
  error.library = "SSL routines";
  error.reason = code.replace(/^ERR_SSL_/, "");
  return error;
}

/** TLS of one connection. */
export class Secure {
  declare terms: Terms;
  declare isServer: boolean;
  /** Name that the server is to have, or that the client asked for. */
  declare serverName: string | undefined;
  declare established: boolean;
  declare authorized: boolean;
  declare error: NodeError | null | undefined;
  declare alpn: string | boolean;
  declare certificates: PeerCertificate[] | undefined;
  declare verify: boolean;
  declare rejects: boolean;

  constructor(terms: Terms, hostname: string | undefined) {
    this.terms = terms;
    this.isServer = terms.isServer;
    this.serverName = terms.isServer ? undefined : (terms.serverName ?? hostname);
    this.established = false;
    this.authorized = false;
    this.error = null;
    this.alpn = false;
    this.certificates = undefined;
    this.verify = terms.requestCert;
    this.rejects = terms.rejects;
  }

  /** Begins the handshake: 0 or a negative errno. */
  begin(id: number): number {
    const { terms } = this;
    if (terms.isServer) return net.tlsStartServer(id, terms.context.id, terms.requestCert ? TLS_MARK_ASKS : 0);
    const name = this.serverName ?? "";
    return net.tlsStartClient(id, terms.context.id, isIP(name) ? "" : name, terms.protocols, 0, undefined, undefined);
  }

  setVerifyMode(requestCert: boolean, rejects: boolean): void {
    if (requestCert && this.isServer && !this.terms.requestCert)
      throw require("bun/util").notImplemented("socket.setVerifyMode() that asks for a certificate later");
    this.verify = requestCert;
    this.rejects = rejects;
  }

  /** What TLS has to say, see native's Callback::Tls. */
  event(link: Link, kind: number, first: string, second: string): void {
    if ((kind & TLS_HELLO_EVENT) === TLS_EVENT_HELLO) {
      this.serverName = first === "" ? undefined : first;
      net.tlsChoose(link.id, this.terms.context.id, this.terms.protocols);
    } else if (kind === TLS_EVENT_FAILED) {
      this.broken(link, protocolError(first));
    } else {
      this.secured(link);
    }
    void second;
  }

  /** The other side has gone in the middle of the handshake. */
  brokenOff(link: Link): void {
    const error: NodeError = new Error(
      "Client network socket disconnected before secure TLS connection was established",
    );
    error.code = "ECONNRESET";
    this.broken(link, error);
  }

  private broken(link: Link, error: NodeError | null | undefined): void {
    if (this.established) {
      if (link.handlers.error !== undefined) link.failed(error);
    } else {
      this.error = error;
      this.tell(link, false);
    }
    link.finish(undefined);
  }

  private tell(link: Link, success: boolean): void {
    const { handshake } = link.handlers;
    if (handshake === undefined) return;
    try {
      handshake.call(link.api, link.api, success, this.error);
    } catch (error) {
      link.failed(error);
    }
  }

  private secured(link: Link): void {
    const { id } = link;
    const info: string[] = net.tlsDescribe(id);
    const { verifyError } = require("internal/net/tls/names");
    this.alpn = info[2] || false;
    let error: NodeError | null = info[4] === "" ? null : verifyError(info[4]);
    let success = true;
    let refused = false;
    if (this.isServer) {
      const anonymous = net.tlsPeer(id).length === 0;
      if (anonymous && this.verify && this.rejects) {
        error = protocolError("PEER_DID_NOT_RETURN_A_CERTIFICATE");
        success = false;
      } else if (anonymous) {
        // Nobody was asked who they are: as in Bun that is a success with a reason why nothing is known.
        error = Object.assign(new Error("unable to get issuer certificate"), { code: "UNABLE_TO_GET_ISSUER_CERT" });
      }
      this.authorized = error === null;
      refused = error !== null && this.verify && this.rejects;
    } else {
      if (error === null) {
        const check = this.terms.check ?? require("internal/net/tls/identity").checkServerIdentity;
        try {
          error = check(this.serverName || "localhost", this.peerCertificate(link, true) ?? {}) ?? null;
        } catch (thrown) {
          error = thrown as NodeError;
        }
      }
      success = this.authorized = error === null;
      refused = error !== null && this.rejects;
    }
    this.error = error;
    this.established = true;
    if (refused) link.shut = true;
    else net.tlsRelease(id);
    if (link.handlers.handshake !== undefined) this.tell(link, success);
    else if (success || !this.isServer) link.opened();
    if (link.id < 0) return;
    if (refused) link.finish(undefined);
    // What the system took none of before the handshake can be written now.
    else link.drainLater();
  }

  peerCertificate(link: Link, detailed: boolean): PeerCertificate | null {
    if (this.certificates === undefined) {
      if (link.id < 0) return null;
      const { legacyCertificate } = require("internal/crypto/x509");
      this.certificates = net.tlsPeer(link.id).map(legacyCertificate) as PeerCertificate[];
    }
    const list = this.certificates;
    if (list.length === 0) return {};
    if (detailed) for (let i = 0; i < list.length; i++) list[i]!.issuerCertificate ??= list[i + 1] ?? list[i];
    return list[0]!;
  }

  certificate(): PeerCertificate | undefined {
    const { cert } = this.terms;
    if (!cert) return undefined;
    const content = contentOf(Array.isArray(cert) ? cert[0] : cert);
    const match = /-----BEGIN CERTIFICATE-----([^-]+)-----END/.exec(
      typeof content === "string" ? content : Buffer.from(content as Uint8Array).toString("latin1"),
    );
    return match === null
      ? undefined
      : require("internal/crypto/x509").legacyCertificate(Buffer.from(match[1]!, "base64"));
  }

  cipher(link: Link): { name: string; standardName: string; version: string } | undefined {
    return link.id < 0 ? undefined : require("internal/net/tls/names").cipherOf(net.tlsDescribe(link.id));
  }

  version(link: Link): string | null {
    return (link.id < 0 ? undefined : net.tlsDescribe(link.id)[0]) || null;
  }

  exportKey(
    link: Link,
    length: number,
    label: string,
    context: ArrayBuffer | SharedArrayBuffer | ArrayBufferView | undefined | null,
  ): FastBuffer {
    const bytes = link.id < 0 ? undefined : net.tlsExport(link.id, length, label, context);
    if (bytes === undefined) throw new (require("internal/core/errors").codes.ERR_TLS_INVALID_STATE)();
    return new FastBuffer(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
}

/** Options of upgradeTLS(). */
export interface UpgradeOptions {
  socket?: unknown;
  tls?: true | BunTLSOptions;
  data?: unknown;
  isServer?: unknown;
}

/**
 * Speaks TLS on an open connection: `socket` can do nothing any more, and there are two new objects. The first, of the connection
 * beneath, hears of the end only.
 */
export function upgrade(
  socket: { data?: unknown },
  link: Link,
  options: UpgradeOptions,
  replace: (link: Link) => void,
) {
  if (typeof options !== "object" || options === null) throw invalidType("Expected options object");
  if (link.tls !== undefined) throw new Error("bao: upgradeTLS() of a connection that speaks TLS is not implemented");
  if (link.id < 0) return undefined;
  const handlers = new Handlers(handlersOf(options));
  if (!options.tls) throw invalidType('Expected "tls" option');
  const terms = termsOf(options.tls, Boolean(options.isServer ?? link.listener !== undefined));
  const { id } = link;
  const inner = new Link(id, handlers, link.halfOpen, undefined);
  inner.tls = new Secure(terms, undefined);
  inner.refed = link.refed;
  inner.taken = link.taken;
  const raw = new Beneath(-1, link.handlers, link.halfOpen, link.listener);
  raw.id = id;
  raw.tls = inner.tls;
  raw.inner = inner;
  inner.raw = raw;
  link.listener?.links.delete(link);
  link.listener?.links.add(raw);
  // What was one object is another connection's now.
  const dead = new Link(-1, link.handlers, false, undefined);
  dead.api = socket;
  link.setTimeout(0);
  replace(dead);
  const below = socketFor(raw, socket.data);
  const above = socketFor(inner, options.data);
  const errno = inner.tls.begin(id);
  if (errno < 0) throw require("internal/net/sockets/socket").systemError(errno, "write");
  inner.start();
  return [below, above];
}

/** What is left of a connection that speaks TLS now. */
class Beneath extends Link {
  declare inner: Link;

  write(): number {
    throw require("bun/util").notImplemented("writing beneath TLS");
  }
  hangUp(): void {
    this.inner.hangUp();
  }
  terminate(): void {
    this.inner.terminate();
  }
  finish(error: NodeError | null | undefined): void {
    this.inner.finish(error);
  }
  shutDown(reading: boolean): void {
    this.inner.shutDown(reading);
  }
}
