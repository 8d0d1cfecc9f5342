// Proxies of agents (https://nodejs.org/api/http.html#built-in-proxy-support): `http:` requests name the whole URL to the proxy
// (RFC 9112, 3.2.2), `https:` ones go through a tunnel (CONNECT, RFC 9110, 9.3.6).

import { codes } from "internal/core/errors";
import { validateHeaderValue } from "internal/http/common";
import { isExempt, serverOf } from "internal/fetch/proxy";
import { hostAndPort, isIP } from "internal/net/ip";
import type { Agent, ConnectionOptions } from "internal/http/agent";
import type { ClientRequest } from "internal/http/client";
import type { ClientSocket } from "internal/http/types";

/** Variables of an environment. */
export interface ProxyEnvironment {
  [name: string]: string | undefined;
}

/** The proxy of an agent. */
export interface AgentProxy {
  /** As messages name it: without user and password. */
  href: string;
  isSecure: boolean;
  host: string;
  port: number;
  /** The value of Proxy-Authorization. */
  authorization: string | undefined;
  /** NO_PROXY. */
  exempt: string;
}

type Tunnel = ClientSocket & { unshift(bytes: Uint8Array): void; destroy(): void };

/** Agents with `proxyEnv` have it. */
export const kProxy = Symbol("proxy");

/** How many bytes the answer to CONNECT may have. */
const MOST_ANSWER = 65_536;

/** The URL that an environment names for a protocol; the name in lower case goes first. */
export function proxyUrl(environment: ProxyEnvironment, protocol: string): string | undefined {
  const { http_proxy, HTTP_PROXY, https_proxy, HTTPS_PROXY } = environment;
  const text = protocol === "https:" ? https_proxy || HTTPS_PROXY : http_proxy || HTTP_PROXY;
  if (!text) return undefined;
  if (/[\r\n]/.test(text)) throw new codes.ERR_PROXY_INVALID_CONFIG(`Invalid proxy URL: ${text}`);
  return text;
}

/**
 * The proxy for an agent of a protocol, undefined if the environment names none, or one that is neither `http:` nor `https:`, which is
 * somebody else's. Throws ERR_PROXY_INVALID_CONFIG.
 */
export function agentProxy(environment: ProxyEnvironment, protocol: string): AgentProxy | undefined {
  if (protocol !== "http:" && protocol !== "https:") return undefined;
  const text = proxyUrl(environment, protocol);
  if (text === undefined || !/^https?:\/\//.test(text)) return undefined;
  const url = URL.parse(text);
  if (url === null) throw new codes.ERR_PROXY_INVALID_CONFIG(`Invalid proxy URL: ${text}`);
  const { hostname: host, port, authorization } = serverOf(url);
  return {
    href: `${url.protocol}//${url.host}`,
    isSecure: url.protocol === "https:",
    host,
    port,
    authorization,
    exempt: environment.no_proxy || environment.NO_PROXY || "",
  };
}

/** The proxy that a connection of an agent goes through. */
export function proxyFor(agent: Agent | null | undefined, options: ConnectionOptions): AgentProxy | undefined {
  const proxy = agent?.[kProxy];
  if (proxy === undefined || options.socketPath) return undefined;
  return isExempt(proxy.exempt, options.host || "localhost", Number(options.port), true) ? undefined : proxy;
}

/** Makes a request one for the proxy of its agent: the whole URL, and what the proxy wants to know. Before its headers are written. */
export function addressProxy(req: ClientRequest, proxy: AgentProxy, options: ConnectionOptions, keep: boolean): void {
  const port = Number(options.port);
  const authority = addressOf(options);
  // What stands after the host is as the program gave it: a path may begin with two slashes.
  if (!/^https?:\/\//i.test(req.path)) {
    const path =
      req.path.startsWith("/") || req.path.startsWith("?") ? req.path : req.path === "*" ? "" : `/${req.path}`;
    req.path = `http://${port === 80 ? authority.slice(0, authority.lastIndexOf(":")) : authority}${path}`;
  }
  if (req._header) return;
  if (proxy.authorization !== undefined) req.setHeader("proxy-authorization", proxy.authorization);
  req.setHeader("proxy-connection", keep ? "keep-alive" : "close");
}

function addressOf(options: ConnectionOptions): string {
  const host = options.host || "localhost";
  const text = hostAndPort(host.startsWith("[") ? host.slice(1, -1) : host, options.port as number);
  validateHeaderValue("host", text);
  return text;
}

/** Where a connection to the proxy goes. */
export function placeOf({ host, port }: AgentProxy): { host: string; port: number; servername: string } {
  return { host, port, servername: isIP(host) ? "" : host };
}

/**
 * A tunnel to where `options` lead: `done` gets a connection on which the server answers, or an ERR_PROXY_TUNNEL, whose `statusCode` is
 * what the proxy answered and whose `proxyTunnelTimeout` says that it took too long.
 */
export function openTunnel(
  proxy: AgentProxy,
  options: ConnectionOptions,
  keep: boolean,
  done: (error: unknown, socket?: ClientSocket) => void,
): void {
  const target = addressOf(options);
  const lines = [`CONNECT ${target} HTTP/1.1`];
  if (proxy.authorization !== undefined) lines.push(`proxy-authorization: ${proxy.authorization}`);
  if (keep) lines.push("proxy-connection: keep-alive");
  lines.push(`host: ${target}`, "", "");
  const send = () => socket.write(lines.join("\r\n"), "latin1");
  const place = placeOf(proxy);
  const socket = (proxy.isSecure
    ? require("node:tls").connect(place, send)
    : require("node:net").connect(place, send)) as unknown as Tunnel;

  let answer = "";
  const { timeout } = options;
  const onReadable = () => {
    for (let chunk; (chunk = socket.read()) !== null;) {
      answer += (chunk as Buffer).toString("latin1");
      const end = answer.indexOf("\r\n\r\n");
      if (end === -1) {
        if (answer.length > MOST_ANSWER) settle(new codes.ERR_PROXY_TUNNEL("The proxy's answer has no end"));
        continue;
      }
      settle(failureOf(answer.slice(0, answer.indexOf("\r\n"))), answer.slice(end + 4));
      return;
    }
  };
  const failureOf = (status: string): Error | undefined => {
    const code = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(status)?.[1];
    if (code?.startsWith("2")) return undefined;
    const error = new codes.ERR_PROXY_TUNNEL(`Failed to establish tunnel to ${target} via ${proxy.href}: ${status}`);
    return code === undefined ? error : Object.assign(error, { statusCode: Number(code) });
  };
  const onError = (error: unknown) => settle(error);
  const onEnd = () => settle(new codes.ERR_PROXY_TUNNEL("Connection to establish proxy tunnel ended unexpectedly"));
  const onTimeout = () => {
    const error = new codes.ERR_PROXY_TUNNEL(`Connection to establish proxy tunnel timed out after ${timeout}ms`);
    settle(Object.assign(error, { proxyTunnelTimeout: timeout }));
  };
  const settle = (error: unknown, rest = "") => {
    socket.off("readable", onReadable).off("error", onError).off("end", onEnd).off("timeout", onTimeout);
    if (timeout) socket.setTimeout(0);
    if (error !== undefined) {
      socket.on("error", () => {});
      socket.destroy();
      done(error);
      return;
    }
    if (rest !== "") socket.unshift(require("node:buffer").Buffer.from(rest, "latin1"));
    done(null, socket);
  };
  socket.on("readable", onReadable).on("error", onError).on("end", onEnd).on("timeout", onTimeout);
  if (timeout) socket.setTimeout(timeout);
}

/** Tells a request that it has got no connection. A tunnel that took too long is a timeout of the request first. */
export function refuse(req: ClientRequest, socket: ClientSocket | null | undefined, error: unknown): void {
  if ((error as { proxyTunnelTimeout?: number }).proxyTunnelTimeout !== undefined) req.emit("timeout");
  req.onSocket(socket, error);
}

/**
 * The environment for agents that the program does not make, if `--use-env-proxy` or NODE_USE_ENV_PROXY ask for it. Throws
 * ERR_INVALID_URL if it names a proxy by what is no URL.
 */
export function environmentOfGlobal(protocol: string): ProxyEnvironment | undefined {
  const { cliOption } = native("process");
  if (cliOption("--no-use-env-proxy") === true) return undefined;
  if (cliOption("--use-env-proxy") !== true && process.env.NODE_USE_ENV_PROXY !== "1") return undefined;
  const url = proxyUrl(process.env, protocol);
  if (url !== undefined) new URL(url);
  return process.env;
}
