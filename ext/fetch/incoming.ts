/**
 * The body of a response while it comes in. It is kept as it comes, undecoded, until somebody asks for the bytes or for
 * the stream; a connection that is ahead of its reader waits.
 */
import { joined } from "internal/fetch/body";
import { createReadableBytes } from "internal/streams/webstreams/byte_core";
import { wrapReadable } from "internal/streams/webstreams/readable";
import type { Stage } from "internal/fetch/decode";
import type { Carrier } from "internal/fetch/types";
import type { ByteControllerImpl } from "internal/streams/webstreams/byte_core";

/** Bytes that are kept while nobody takes them, and while a stream's reader is slow. */
const UNASKED = 256 * 1024;
const AHEAD = 128 * 1024;

const NONE = 0,
  COLLECTING = 1,
  STREAMING = 2,
  OVER = 3;

/**
 * Bodies that nobody asks for hold up their connection: until they are collected. Those that somebody asks for are
 * taken out, since what is held here may reach the one that asked, who would never be collected.
 */
let unclaimed: FinalizationRegistry<Incoming> | undefined;

/** The connection that a body comes over. */
type Source = Pick<Carrier, "gather" | "resume" | "abandon">;

export class Incoming {
  /** The connection to go on with, or undefined. */
  connection: Source | undefined;
  /** How many bytes there will be, undecoded; 0 where that is not known. */
  expected = 0;
  /** Somebody is told of each piece, so native code must not put them together. */
  isToldInPieces = false;
  #chunks: Uint8Array[] = [];
  #length = 0;
  #mode = NONE;
  #complete = false;
  #error: { reason: unknown } | undefined = undefined;
  /** Content codings, the one applied last first; undefined for none. */
  #codings: string[] | undefined;
  #makeError: ((cause: NodeError) => unknown) | undefined;
  #resolve: ((bytes: Uint8Array) => void) | undefined = undefined;
  #reject: ((reason: unknown) => void) | undefined = undefined;
  #controller!: ByteControllerImpl;
  #wanted = false;
  #stage: Stage | undefined = undefined;

  constructor(
    connection: Source | undefined,
    codings: string[] | undefined,
    makeError: ((cause: NodeError) => unknown) | undefined,
  ) {
    this.connection = connection;
    this.#codings = codings;
    this.#makeError = makeError;
  }

  /** Whether somebody reads it, or may. */
  get claimed(): boolean {
    return this.#mode !== NONE;
  }

  /** Gives the connection up if `owner` is collected before somebody asks for the body. */
  dependOn(owner: object): void {
    unclaimed ??= new FinalizationRegistry((held) => held.cancel());
    unclaimed.register(owner, this, this);
  }

  // ---- from the connection

  /** More of the body; false where the connection should wait. */
  push(chunk: Uint8Array): boolean {
    switch (this.#mode) {
      case OVER:
        return true;
      case COLLECTING:
        this.#chunks.push(chunk);
        return true;
      case STREAMING:
        this.#chunks.push(chunk);
        this.#length += chunk.byteLength;
        if (this.#wanted) this.#feed();
        return this.#length < AHEAD;
      default:
        this.#chunks.push(chunk);
        this.#length += chunk.byteLength;
        return this.#length < UNASKED;
    }
  }

  /** The body is complete. */
  finish(): void {
    this.#complete = true;
    this.connection = undefined;
    if (this.#mode === COLLECTING) this.#settle();
    else if (this.#mode === STREAMING && this.#wanted) this.#feed();
  }

  /** No more will come. */
  fail(reason: unknown): void {
    this.connection = undefined;
    if ((this.#complete && this.#mode !== STREAMING) || this.#mode === OVER) return;
    this.#error = { reason };
    this.#chunks.length = 0;
    if (this.#mode === COLLECTING) {
      this.#mode = OVER;
      const reject = this.#reject!;
      this.#resolve = this.#reject = undefined;
      reject(reason);
    } else if (this.#mode === STREAMING) {
      this.#mode = OVER;
      this.#stage?.close();
      this.#controller.error(reason);
    }
  }

  // ---- from the body

  /** All bytes, in memory of their own, for `resolve`, now or when they are there; or a reason for `reject`. */
  collect(resolve: (bytes: Uint8Array) => void, reject: (reason: unknown) => void): void {
    unclaimed?.unregister(this);
    this.#mode = COLLECTING;
    this.#resolve = resolve;
    this.#reject = reject;
    if (this.#error !== undefined) reject(this.#error.reason);
    else if (this.#complete) this.#settle();
    else this.#gather();
  }

  /** Has native code put the rest together. */
  #gather(): void {
    const { connection } = this;
    if (connection === undefined) return;
    const early = this.#chunks.length === 1 ? this.#chunks[0]! : joined(this.#chunks);
    if (!this.isToldInPieces && connection.gather(early, this.expected)) this.#chunks = [];
    connection.resume();
  }

  bytes(): Promise<Uint8Array> {
    return new Promise((resolve, reject) => this.collect(resolve, reject));
  }

  #settle(): void {
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#mode = OVER;
    const bytes = chunks.length === 1 ? chunks[0]! : joined(chunks);
    // What asked is not kept by what it got.
    const resolve = this.#resolve!;
    const reject = this.#reject!;
    this.#resolve = this.#reject = undefined;
    if (this.#codings === undefined || bytes.byteLength === 0) {
      resolve(bytes);
      return;
    }
    require("internal/fetch/decode").decodeAll(bytes, this.#codings, resolve, (cause: NodeError) =>
      reject(this.#makeError!(cause)),
    );
  }

  /** The body as a stream of bytes, decoded. */
  stream() {
    unclaimed?.unregister(this);
    this.#mode = STREAMING;
    const self = this;
    return wrapReadable(
      createReadableBytes({
        start(controller: ByteControllerImpl) {
          self.#controller = controller;
          if (self.#error !== undefined) {
            self.#mode = OVER;
            controller.error(self.#error.reason);
          }
        },
        pull() {
          self.#wanted = true;
          self.#feed();
        },
        cancel() {
          self.cancel();
        },
      }),
    );
  }

  /** Nobody wants it: the connection is of no more use, unless everything is there. */
  cancel(): void {
    this.#mode = OVER;
    this.#chunks.length = 0;
    this.#stage?.close();
    const { connection } = this;
    this.connection = undefined;
    connection?.abandon();
  }

  #next(): Uint8Array | undefined | null {
    const chunk = this.#chunks.shift();
    if (chunk === undefined) return this.#complete ? null : undefined;
    this.#length -= chunk.byteLength;
    return chunk;
  }

  /** Gives the stream a chunk if there is one, or its end. */
  #feed(): void {
    let chunk: Uint8Array | undefined | null;
    try {
      if (this.#codings !== undefined) {
        this.#stage ??= require("internal/fetch/decode").decoder(this.#codings, () => this.#next());
        chunk = this.#stage!.read();
      } else {
        chunk = this.#next();
      }
    } catch (cause) {
      const { connection } = this;
      this.fail(this.#makeError!(cause as NodeError));
      connection?.abandon();
      return;
    }
    if (this.#length < AHEAD) this.connection?.resume();
    if (chunk === undefined) return;
    this.#wanted = false;
    const controller = this.#controller;
    if (chunk === null) {
      this.#mode = OVER;
      controller.close();
      // A pending read into the reader's own memory is only settled by a response.
      if (controller.pendingPullIntos.length > 0) controller.respond(0);
    } else {
      controller.enqueue(chunk);
    }
  }
}
