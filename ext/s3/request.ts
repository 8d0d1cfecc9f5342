/** Requests to S3, and what their answers say. */

import { S3Error } from "internal/s3/errors";
import type { Place } from "internal/s3/options";
import { type Query, queryText, signedHeaders } from "internal/s3/sign";

/** What of a Response is used. */
export interface Answer {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: { get(name: string): string | null };
  readonly body: ReadableStream | null;
  text(): Promise<string>;
  bytes(): Promise<Uint8Array>;
}

export interface Request {
  method: string;
  query?: Query;
  headers?: Record<string, string>;
  body?: unknown;
  /** It makes an object: ACL, storage class and the like are told. */
  stores?: boolean;
  /** How often it is tried again when the server or the network fails. */
  retries?: number;
  signal?: AbortSignal;
}

/** Milliseconds before the second try; twice as many before each further one, up to the last. */
const FIRST_DELAY = 50;
const LAST_DELAY = 2000;

const entities: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** The text of an XML text. */
export function unescaped(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (all, decimal, hex, name) => {
    if (name !== undefined) return entities[name] ?? all;
    const code = decimal === undefined ? parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}

/** What stands in the first element of a name; undefined where there is none. */
export function element(xml: string, name: string): string | undefined {
  const begin = new RegExp(`<${name}(?:\\s[^>]*)?>`).exec(xml);
  if (begin === null) return undefined;
  const from = begin.index + begin[0].length;
  const to = xml.indexOf(`</${name}>`, from);
  return to < 0 ? undefined : xml.slice(from, to);
}

/** The error that a server's answer stands for. */
export function errorOf(place: Place, status: number, text: string): S3Error {
  const code = element(text, "Code");
  const message = element(text, "Message");
  if (code !== undefined) return new S3Error(unescaped(code), unescaped(message ?? ""), place.given);
  if (status === 404) return new S3Error("NoSuchKey", text || "The specified key does not exist.", place.given);
  return new S3Error("UnknownError", text || "an unexpected error has occurred", place.given);
}

/** Sends a request. Rejects with S3Error for an answer that is no success, with the error of `fetch` where there is none. */
export async function send(place: Place, request: Request): Promise<Answer> {
  const { method, query = {}, body, stores = false, retries = 0, signal } = request;
  const text = queryText(query);
  const url = `${place.origin}${place.path}${text === "" ? "" : `?${text}`}`;
  for (let attempt = 0; ; attempt++) {
    const isLast = attempt >= retries;
    // Signed anew: a signature is good for some minutes only.
    const headers = { ...request.headers, ...signedHeaders(place, method, query, stores) };
    let answer: Answer;
    try {
      const { fetch } = require("web/fetch");
      const { OwnBytes } = require("internal/fetch/body");
      const sent = body instanceof Uint8Array ? new OwnBytes(body) : body;
      answer = (await fetch(url, {
        method,
        headers,
        body: sent,
        signal,
        redirect: "follow",
      } as never)) as unknown as Answer;
    } catch (error) {
      if (isLast || signal?.aborted) throw error;
      await pause(attempt);
      continue;
    }
    if (answer.ok) return answer;
    const error = errorOf(place, answer.status, await answer.text());
    if (isLast || answer.status < 500) throw error;
    await pause(attempt);
  }
}

function pause(attempt: number): Promise<void> {
  return new Promise((done) => setTimeout(done, Math.min(FIRST_DELAY * 2 ** attempt, LAST_DELAY)));
}
