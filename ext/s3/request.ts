/** Requests to S3, and what their answers say. */

import { S3Error } from "internal/s3/errors";
import type { Place } from "internal/s3/options";
import { learnClock, type Query, queryText, signedHeaders } from "internal/s3/sign";

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
  /** Headers of S3's own. */
  amz?: Record<string, string>;
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

/** An element of XML: where it begins and ends, and what stands in it. */
interface Found {
  from: number;
  to: number;
  text: string;
}

/** The first element of a name from a place on; undefined where there is none, or no end of it. */
function find(xml: string, name: string, at: number): Found | undefined {
  const open = `<${name}`;
  const close = `</${name}>`;
  for (let from = xml.indexOf(open, at); from >= 0; from = xml.indexOf(open, from + 1)) {
    const next = xml[from + open.length];
    // Another name that begins like it, or the element itself, with attributes or not.
    if (next !== ">" && next !== " " && next !== "\n" && next !== "\t") continue;
    const begin = xml.indexOf(">", from) + 1;
    const end = begin === 0 ? -1 : xml.indexOf(close, begin);
    return end < 0 ? undefined : { from, to: end + close.length, text: xml.slice(begin, end) };
  }
  return undefined;
}

/** What stands in the first element of a name; undefined where there is none. */
export function element(xml: string, name: string): string | undefined {
  return find(xml, name, 0)?.text;
}

/** What stands in all elements of a name, and the XML without them; the work is linear in its length. */
export function elements(xml: string, name: string): { texts: string[]; rest: string } {
  const texts: string[] = [];
  let rest = "";
  let at = 0;
  for (let found = find(xml, name, at); found !== undefined; found = find(xml, name, at)) {
    texts.push(found.text);
    rest += xml.slice(at, found.from);
    at = found.to;
  }
  return { texts, rest: rest + xml.slice(at) };
}

/** Most bytes of an error's body that are read. */
const MOST_ERROR = 64 * 1024;

/** The text of an answer that is no success, as far as it may be read. */
async function errorText({ body }: Answer): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of (body ?? []) as unknown as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > MOST_ERROR) break;
    }
  } catch {
    // The status says that it is an error; what is missing of its text changes nothing of that.
  }
  return Buffer.concat(chunks).toString("utf8", 0, MOST_ERROR);
}

/** A failure of the network as an error of S3's, which names the object. */
export function networkError(place: Place, error: unknown): Error {
  if (error instanceof S3Error || !(error instanceof Error) || error.name === "AbortError") return error as Error;
  const { cause, code } = error as NodeError;
  const reason = cause instanceof Error ? cause.message : error.message;
  const failure = new S3Error(
    code ?? "UnknownError",
    `The request to ${place.host} has failed: ${reason}`,
    place.given,
  );
  Object.defineProperty(failure, "cause", { value: error, writable: true, configurable: true });
  return failure;
}

/** The text of an answer to the end. Rejects with S3Error where it breaks off. */
export async function textOf(place: Place, answer: Answer): Promise<string> {
  try {
    return await answer.text();
  } catch (error) {
    throw networkError(place, error);
  }
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
  let isClockKnown = false;
  for (let attempt = 0; ; attempt++) {
    const isLast = attempt >= retries;
    // A redirect is not followed: its target would get the signature. Signed anew: a signature is good for some minutes only.
    const headers = { ...request.headers, ...signedHeaders(place, method, query, stores, request.amz) };
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
        redirect: "manual",
      } as never)) as unknown as Answer;
    } catch (error) {
      if (isLast || signal?.aborted) throw networkError(place, error);
      await pause(attempt);
      continue;
    }
    if (answer.ok) return answer;
    const error = errorOf(place, answer.status, await errorText(answer));
    if (error.code === "RequestTimeTooSkewed" && !isClockKnown && learnClock(place, answer.headers.get("date"))) {
      // Once more by the server's clock; nothing has failed but ours.
      isClockKnown = true;
      attempt--;
      continue;
    }
    // What a server does not know it will not know the next time.
    if (isLast || answer.status < 500 || answer.status === 501) throw error;
    await pause(attempt);
  }
}

function pause(attempt: number): Promise<void> {
  return new Promise((done) => setTimeout(done, Math.min(FIRST_DELAY * 2 ** attempt, LAST_DELAY)));
}
