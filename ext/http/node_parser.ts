// The parser with the interface of Node's own, `HTTPParser` of _http_common: for packages that stand between node:http and
// the network (msw). node:http itself uses the one of internal/http/common.

import { FastBuffer } from "internal/buffer/base";
import { type ParseError, isInsecure, maxHeaderSize, parseError } from "internal/http/common";
import { table } from "internal/net/native";
import {
  HEAD_COMPLETE,
  HEAD_KEEP_ALIVE,
  HEAD_MAJOR_SHIFT,
  HEAD_MINOR_SHIFT,
  HEAD_UPGRADE,
} from "internal/net/native_constants";

const net = native("net");

const kOnMessageBegin = 0;
const kOnHeaders = 1;
const kOnHeadersComplete = 2;
const kOnBody = 3;
const kOnMessageComplete = 4;

/** Of `initialize`. Each of Node's flags makes the parser lenient in all that bao's knows. */
const kLenientNone = 0;
const kLenientAll = 255;

type Callback = ((...args: unknown[]) => unknown) | null | undefined;

/**
 * Parses what `execute` is given. What it finds goes to the functions that are its properties `kOnMessageBegin` and so on;
 * that of `kOnHeadersComplete` gets `(major, minor, headers, method, url, statusCode, statusMessage, upgrade, keepAlive)` and
 * answers 1 to skip the body, 2 to end the HTTP part of the connection.
 */
export class HTTPParser {
  static REQUEST = 1;
  static RESPONSE = 2;
  static kOnMessageBegin = kOnMessageBegin;
  static kOnHeaders = kOnHeaders;
  static kOnHeadersComplete = kOnHeadersComplete;
  static kOnBody = kOnBody;
  static kOnMessageComplete = kOnMessageComplete;
  static kOnExecute = 5;
  static kOnTimeout = 6;
  static kLenientNone = kLenientNone;
  static kLenientAll = kLenientAll;

  declare [kOnMessageBegin]: Callback;
  declare [kOnHeaders]: Callback;
  declare [kOnHeadersComplete]: Callback;
  declare [kOnBody]: Callback;
  declare [kOnMessageComplete]: Callback;

  #id = -1;
  #isResponse = false;
  #url = "";
  #problem: ParseError | undefined;
  /** Bytes behind a head that ended the HTTP part of the connection. */
  #rest = 0;

  /** `type`: REQUEST or RESPONSE; `maxSize`: bytes of a head, 0 for the default; `lenient`: a set of Node's flags. */
  initialize(type: number, _resource?: unknown, maxSize = 0, lenient: number = isInsecure() ? kLenientAll : 0) {
    this.#end();
    this.#isResponse = type === HTTPParser.RESPONSE;
    this.#id = net.httpCreate(this.#isResponse, maxSize || maxHeaderSize(), lenient !== kLenientNone);
    const self = this;
    table[this.#id] = {
      head: (info: number, text: string, body: ArrayBuffer | undefined) => self.#head(info, text, body),
      body: (bytes: ArrayBuffer) => void self[kOnBody]?.(new FastBuffer(bytes)),
      end: (trailers: string | undefined) => self.#over(trailers),
      failed: (code: string, reason: string, parsed: number, packet: ArrayBuffer) => {
        self.#problem = parseError(code, reason, parsed, new FastBuffer(packet));
      },
      upgraded: (rest: ArrayBuffer) => {
        self.#rest = rest.byteLength;
        self.#over(undefined);
      },
    };
  }

  /** Parses bytes: how many were used, or the error. */
  execute(bytes: Uint8Array): number | Error {
    if (this.#id < 0) throw new Error("The parser has not been initialized");
    this.#rest = 0;
    net.httpExecute(this.#id, bytes);
    return this.#problem ?? bytes.length - this.#rest;
  }

  /** The input has ended: the error if it is in the middle of a message. */
  finish(): Error | undefined {
    if (this.#id < 0) return undefined;
    const problem = net.httpFinish(this.#id);
    return problem === undefined ? undefined : parseError(problem[0], problem[1], 0, undefined);
  }

  close() {
    this.#end();
  }

  free() {
    this.#end();
  }

  /** In Node this takes the parser out of the list of those whose time is limited; nobody but their owner limits these. */
  remove() {}

  #end() {
    if (this.#id < 0) return;
    table[this.#id] = undefined;
    net.httpFree(this.#id);
    this.#id = -1;
    this.#problem = undefined;
  }

  #head(info: number, text: string, body: ArrayBuffer | undefined): number {
    this[kOnMessageBegin]?.();
    const [first, ...headers] = text.split("\0");
    const number = info & 1023;
    this.#url = this.#isResponse ? "" : first!;
    const answer = this[kOnHeadersComplete]?.(
      (info >> HEAD_MAJOR_SHIFT) & 15,
      (info >> HEAD_MINOR_SHIFT) & 15,
      headers,
      this.#isResponse ? undefined : number,
      this.#isResponse ? undefined : first,
      this.#isResponse ? number : undefined,
      this.#isResponse ? first : undefined,
      (info & HEAD_UPGRADE) !== 0,
      (info & HEAD_KEEP_ALIVE) !== 0,
    );
    if ((info & HEAD_COMPLETE) !== 0) {
      if (body !== undefined && answer !== 1) this[kOnBody]?.(new FastBuffer(body));
      this.#over(undefined);
    }
    return Number(answer) || 0;
  }

  #over(trailers: string | undefined) {
    if (trailers) this[kOnHeaders]?.(trailers.split("\0"), this.#url);
    this[kOnMessageComplete]?.();
  }
}
