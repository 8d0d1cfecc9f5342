// The diagnostics channels of undici, Node's fetch, by which programs trace requests:
// https://github.com/nodejs/undici/blob/main/docs/docs/api/DiagnosticsChannel.md
//
// Nothing here is loaded before node:diagnostics_channel is.

import type { Exchange } from "internal/fetch/exchange";

/** What channels tell of a request. */
interface ToldRequest {
  origin: string;
  path: string;
  method: string;
  /** Names and values in turn. */
  headers: string[];
  completed: boolean;
  aborted: boolean;
  addHeader(name: string, value: string): ToldRequest;
}

const told = new WeakMap<Exchange, ToldRequest>();
/** Requests that have been answered: what follows of the exchange is another one (a redirect). */
const answered = new WeakSet<ToldRequest>();
const { channel } = require("node:diagnostics_channel");
const channels = {
  create: channel("undici:request:create"),
  sendHeaders: channel("undici:client:sendHeaders"),
  bodySent: channel("undici:request:bodySent"),
  headers: channel("undici:request:headers"),
  bodyChunkReceived: channel("undici:request:bodyChunkReceived"),
  trailers: channel("undici:request:trailers"),
  error: channel("undici:request:error"),
};

/** Before the head is made: subscribers may add headers. */
export function create(exchange: Exchange): void {
  const wanted = Object.values(channels).some((one) => one.hasSubscribers);
  const before = told.get(exchange);
  // One that is sent again because its connection was closed is the same request.
  if (!wanted || (before !== undefined && !answered.has(before))) return;
  const { target, method, list } = exchange;
  const headers: string[] = [];
  for (let at = 0; at < list.items.length; at += 3) headers.push(list.items[at + 1]!, list.items[at + 2]!);
  const request: ToldRequest = {
    origin: target.origin,
    path: target.path,
    method,
    headers,
    completed: false,
    aborted: false,
    addHeader(name, value) {
      // What the standard refuses as a header, this refuses, too.
      const [[lower, checked]] = [...new Headers([[name, value]])] as [[string, string]];
      list.append(lower, name, checked);
      headers.push(name, checked);
      return request;
    },
  };
  told.set(exchange, request);
  if (channels.create.hasSubscribers) channels.create.publish({ request });
}

/** The head goes out. */
export function sendHeaders(exchange: Exchange, text: string, socket: object): void {
  const request = told.get(exchange);
  if (request !== undefined && channels.sendHeaders.hasSubscribers)
    channels.sendHeaders.publish({ request, headers: text.slice(0, -2), socket });
}

/** The request is complete. */
export function bodySent(exchange: Exchange): void {
  const request = told.get(exchange);
  if (request !== undefined && channels.bodySent.hasSubscribers) channels.bodySent.publish({ request });
}

/** A head has come: `parts` is the reason, then names and values. */
export function headers(exchange: Exchange, statusCode: number, parts: string[]): void {
  const request = told.get(exchange);
  if (request === undefined) return;
  answered.add(request);
  if (!channels.headers.hasSubscribers) return;
  const list = parts.slice(1).map((part) => Buffer.from(part, "latin1"));
  channels.headers.publish({ request, response: { statusCode, headers: list, statusText: parts[0] } });
}

/** Whether somebody is told of each piece of the response's body. */
export function tellsPieces(exchange: Exchange): boolean {
  return told.has(exchange) && channels.bodyChunkReceived.hasSubscribers;
}

/** A piece of the response's body has come, as it was sent: subscribers get the bytes themselves. */
export function bodyChunkReceived(exchange: Exchange, chunk: Uint8Array): void {
  const request = told.get(exchange);
  if (request !== undefined && channels.bodyChunkReceived.hasSubscribers)
    channels.bodyChunkReceived.publish({ request, chunk });
}

/** The response is complete. */
export function trailers(exchange: Exchange): void {
  const request = told.get(exchange);
  if (request === undefined || request.completed) return;
  request.completed = true;
  if (channels.trailers.hasSubscribers) channels.trailers.publish({ request, trailers: [] });
}

/** There is no response, or no more of its body. */
export function error(exchange: Exchange, reason: unknown): void {
  // Without a connection it was never sent.
  if (!told.has(exchange)) create(exchange);
  const request = told.get(exchange);
  if (request === undefined || request.completed) return;
  request.aborted = true;
  if (channels.error.hasSubscribers) channels.error.publish({ request, error: reason });
}
