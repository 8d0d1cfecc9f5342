/**
 * `HTMLRewriter`: handlers for the elements, texts and comments of HTML that is rewritten while it passes, as in Bun and
 * Cloudflare Workers: https://bun.com/docs/runtime/html-rewriter
 */
import type { ReadableStream as Stream } from "internal/streams/webstreams/readable";
import { isAnyArrayBuffer, isArrayBufferView } from "internal/buffer/base";
import { utf8Bytes } from "internal/buffer/codecs";
import { finishInterface } from "internal/fetch/webidl";
import { RewrittenDocument, type Registration } from "internal/html/document";
import { argumentError, HTMLRewriterError } from "internal/html/errors";

const html = native("html");
const encoding = native("encoding");

/** Handlers by the place of their kind, with the bit that stands for the kind. */
const ELEMENT_KINDS: [name: string, place: number, bit: number][] = [
  ["element", 0, 1],
  ["comments", 1, 2],
  ["text", 2, 4],
];
const DOCUMENT_KINDS: [name: string, place: number, bit: number][] = [
  ["doctype", 3, 8],
  ["comments", 1, 2],
  ["text", 2, 4],
  ["end", 4, 16],
];

/** Reads handlers off an object; gives them and the bits of those that are there. */
function readHandlers(
  object: unknown,
  kinds: [name: string, place: number, bit: number][],
): { registration: Registration; bits: number } {
  if ((typeof object !== "object" && typeof object !== "function") || object === null) {
    throw argumentError("Expected object");
  }
  const handlers: (Function | undefined)[] = [];
  let bits = 0;
  for (const [name, place, bit] of kinds) {
    const handler = (object as { [name: string]: unknown })[name];
    if (handler === undefined) continue;
    if (typeof handler !== "function") throw argumentError(`${name} must be a function`);
    handlers[place] = handler;
    bits |= bit;
  }
  return { registration: { self: object, handlers }, bits };
}

class HTMLRewriter {
  #template = html.newTemplate();
  #registrations: Registration[] = [];

  /** Handlers for the elements that a selector matches: `element`, `comments`, `text`. */
  on(selector: unknown, handlers: unknown): this {
    if (arguments.length < 2) throw argumentError("Missing argument");
    const text = `${selector as string}`;
    const { registration, bits } = readHandlers(handlers, ELEMENT_KINDS);
    try {
      html.addElement(this.#template, text, bits);
    } catch (error) {
      throw new HTMLRewriterError((error as Error).message);
    }
    this.#registrations.push(registration);
    return this;
  }

  /** Handlers of the document: `doctype`, `comments`, `text`, `end`. */
  onDocument(handlers: unknown): this {
    if (arguments.length < 1) throw argumentError("Missing argument");
    const { registration, bits } = readHandlers(handlers, DOCUMENT_KINDS);
    html.addDocument(this.#template, bits);
    this.#registrations.push(registration);
    return this;
  }

  /**
   * Rewrites a Response, which gives another one at once, or a string or bytes, which give a string or an ArrayBuffer.
   */
  transform(input: unknown): unknown {
    if (arguments.length < 1) throw argumentError("Missing argument");
    if (typeof input === "string" || input instanceof String) {
      const document = this.#begin("a string");
      document.whole(utf8Bytes(`${input as string}`));
      return encoding.decodeUtf8(document.take(), false, true);
    }
    if (isAnyArrayBuffer(input) || isArrayBufferView(input)) {
      const document = this.#begin("an ArrayBuffer");
      document.whole(
        isArrayBufferView(input)
          ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
          : new Uint8Array(input as ArrayBuffer),
      );
      return document.take().buffer;
    }
    const { isResponse } = require("web/response");
    if (!isResponse(input)) throw argumentError("Expected Response or Body");
    return this.#transformResponse(input);
  }

  #transformResponse(input: Response): Response {
    const { createResponse, responseState } = require("web/response");
    const { rewriteBytes, rewriteStream } = require("internal/html/stream");
    const state = responseState(input);
    const { body } = state;
    if (body?.unusable) throw argumentError("Response body already used");
    const document = this.#begin(undefined);
    // What is in memory is taken as it is; a stream is locked.
    const source = body === null ? "" : body.take();
    let rewritten;
    if (typeof source === "string") rewritten = rewriteBytes(document, utf8Bytes(source));
    else if (source instanceof Uint8Array) rewritten = rewriteBytes(document, source);
    else rewritten = rewriteStream(document, (source === undefined ? body!.stream : source.stream()) as Stream);
    const list = state.list.copy();
    // The length is that of what was there before.
    list.delete("content-length");
    return createResponse({
      ...state,
      list,
      headers: undefined,
      body: body === null && rewritten.length === 0 ? null : rewritten,
    });
  }

  #begin(wantedNow: string | undefined): RewrittenDocument {
    return new RewrittenDocument(this.#template, this.#registrations.slice(), wantedNow);
  }
}

finishInterface(HTMLRewriter, "HTMLRewriter", ["on", "onDocument", "transform"]);

export { HTMLRewriter };
