/**
 * A document that is being rewritten: calls the handlers that the native half stops at, one after the other.
 *
 * The native half gives numbers: nothing to call, a failure, or which handler is next. A handler that gives a promise
 * holds the document there, and nothing else: the loop of the thread goes on.
 */
import { runNextTicks } from "internal/core/task_queues";
import { HTMLRewriterError } from "internal/html/errors";
import {
  Comment,
  DocType,
  DocumentEnd,
  Element,
  EndTag,
  endUnit,
  TextChunk,
  type AnyUnit,
  type NativeRewriter,
  type Stopped,
} from "internal/html/units";

const html = native("html");
const { promiseDetails } = native("inspect");

const DONE = 0;
const FAILED = 0xffffffff;

/** Kinds of events, as in the native half. */
const kinds = [Element, Comment, TextChunk, DocType, DocumentEnd, EndTag];
const END_TAG = 5;

const FULFILLED = 1;
const REJECTED = 2;

/** The handlers that one call of `on` or `onDocument` has given: what they are called on, and one for each kind. */
export interface Registration {
  self: unknown;
  /** Places as in `kinds`. */
  handlers: (Function | undefined)[];
}

type Template = ReturnType<typeof html.newTemplate>;

export class RewrittenDocument implements Stopped {
  readonly rewriter: NativeRewriter;
  #registrations: Registration[];
  /** Handlers of end tags that have not come yet, by number. */
  #endTags: (Function | undefined)[] = [];
  /** The unit whose handler runs or is waited for. */
  #unit: AnyUnit | undefined;
  /** Whether results are wanted at once: what a handler's promise may not hold up. */
  #wantedNow: string | undefined;

  /** `wantedNow`: the name of what has to be given at once. */
  constructor(template: Template, registrations: Registration[], wantedNow: string | undefined) {
    this.rewriter = html.start(template);
    this.#registrations = registrations;
    this.#wantedNow = wantedNow;
  }

  keepEndTag(number: number, handler: Function): void {
    this.#endTags[number] = handler;
  }

  /** Takes a part of the document. A promise: a handler is waited for. Throws or rejects with what handlers throw. */
  write(bytes: Uint8Array): Promise<void> | undefined {
    return this.#run(html.write(this.rewriter, bytes));
  }

  /** The document is complete. As `write`. */
  end(): Promise<void> | undefined {
    return this.#run(html.end(this.rewriter));
  }

  /** All of a document. As `write`. */
  whole(bytes: Uint8Array): Promise<void> | undefined {
    const waiting = bytes.byteLength === 0 ? undefined : this.write(bytes);
    return waiting === undefined ? this.end() : waiting.then(() => this.end());
  }

  /** What has come out since the last call. */
  take(): Uint8Array<ArrayBuffer> {
    return html.takeOutput(this.rewriter);
  }

  /** Nobody wants the rest. */
  stop(): void {
    this.#endCurrent();
    html.stop(this.rewriter);
    this.#endTags = [];
  }

  #endCurrent(): void {
    const unit = this.#unit;
    if (unit === undefined) return;
    this.#unit = undefined;
    endUnit(unit);
  }

  #run(first: number): Promise<void> | undefined {
    let event = first;
    try {
      while (event !== DONE) {
        if (event === FAILED) throw new HTMLRewriterError(html.takeFailure(this.rewriter) ?? "unknown failure");
        const result = this.#call((event - 1) & 7, (event - 1) >>> 3);
        if (typeof result === "object" && result !== null) {
          const waiting = this.#settle(result);
          if (waiting !== undefined) return waiting;
        }
        this.#endCurrent();
        event = html.proceed(this.rewriter);
      }
    } catch (error) {
      this.stop();
      throw error;
    }
    return undefined;
  }

  #call(kind: number, place: number): unknown {
    const unit = (this.#unit = new kinds[kind]!(this));
    if (kind === END_TAG) {
      const handler = this.#endTags[place]!;
      this.#endTags[place] = undefined;
      return handler(unit);
    }
    const { self, handlers } = this.#registrations[place]!;
    return Reflect.apply(handlers[kind]!, self, [unit]);
  }

  /** Looks at what a handler gives: throws an error of it, gives a promise if it has to be waited for. */
  #settle(result: object): Promise<void> | undefined {
    // As in Bun: an error that is given counts as thrown.
    if (result instanceof Error) throw result;
    let details = promiseDetails(result);
    if (details === undefined) return undefined;
    const promise = result as Promise<unknown>;
    const goOn = () => {
      this.#endCurrent();
      return this.#run(html.proceed(this.rewriter));
    };
    const fail = (error: unknown) => {
      this.stop();
      throw error;
    };
    if (details[0] === FULFILLED) return undefined;
    if (this.#wantedNow === undefined) return promise.then(goOn, fail);
    // The rejection is handled below.
    promise.then(undefined, () => undefined);
    if (details[0] !== REJECTED) {
      runNextTicks();
      details = promiseDetails(result)!;
    }
    if (details[0] === FULFILLED) return undefined;
    if (details[0] === REJECTED) throw details[1];
    throw new TypeError(
      `HTMLRewriter.transform() cannot synchronously return ${this.#wantedNow} because a content handler returned a ` +
        "Promise that did not resolve within a microtask. Pass a Response instead and await its body",
    );
  }
}
