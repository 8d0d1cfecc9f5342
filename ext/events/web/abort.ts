// AbortController and AbortSignal (DOM standard, https://dom.spec.whatwg.org/#aborting-ongoing-activities).
//
// Who keeps whom alive: a dependent signal (AbortSignal.any) holds its sources. A source holds a dependent only
// weakly as long as nobody listens to it, strongly while somebody does. A timer of AbortSignal.timeout holds its
// signal weakly; while somebody listens to it, or to a dependent of it, the set `listened` holds it.

import {
  Event,
  EventTarget,
  defineEventHandler,
  kEvents,
  kMaxEventTargetListeners,
  kNewListener,
  kRemoveListener,
  kTrustEvent,
  makeEnumerable,
  reportListenerError,
} from "web/event_target";
import { codedTypeError, codes } from "internal/core/errors";
import type { Inspect, InspectContext } from "internal/util/inspect_types";
import type { Timeout } from "internal/core/timers";

const { defineProperty } = Object;
const inspectCustom = Symbol.for("nodejs.util.inspect.custom");

const { nowMs: now } = native("process");
// Only this file can construct an AbortSignal.
const kCreate = Symbol("kCreateAbortSignal");
const kDependantSignals = Symbol("kDependantSignals");

const trusted = { [kTrustEvent]: true };

/** Timeout signals somebody waits for. */
const listened = new Set<AbortSignal>();
// Stops the timer of a timeout signal that was collected, and drops empty weak entries of sources.
let timerCleanup: FinalizationRegistry<Timeout> | undefined;
let dependentCleanup: FinalizationRegistry<{ link: Link; sources: WeakRef<AbortSignal>[] }> | undefined;

function exception(message: string, name: string) {
  const { DOMException } = require("web/dom_exception");
  return new DOMException(message, name);
}

function abortReason() {
  return exception("This operation was aborted", "AbortError");
}

/** How a source knows a dependent signal; `strong` is set while the dependent has listeners. */
class Link {
  declare ref: WeakRef<AbortSignal>;
  strong: AbortSignal | undefined = undefined;
  constructor(dependent: AbortSignal) {
    this.ref = new WeakRef(dependent);
  }
}

/** Runs the abort steps of `signal`; assigned in AbortSignal's static block. */
let signalAbort: (signal: AbortSignal, reason: unknown) => void;
let isSignal: (value: unknown) => value is AbortSignal;
let deadlineOf: (signal: AbortSignal) => number;
let addAlgorithm: (signal: AbortSignal, algorithm: () => void) => () => void;

export class AbortSignal extends EventTarget {
  /** The signals that abort with this one. */
  declare [kDependantSignals]: Set<Link> | undefined;
  #aborted = false;
  #reason: unknown = undefined;
  // Sources of a dependent signal; they are never dependent themselves.
  #sources: AbortSignal[] | undefined = undefined;
  // Functions to call when aborting, before the event; they cannot be stopped by listeners.
  #algorithms: Set<() => void> | undefined = undefined;
  // The entry that stands for this dependent signal in the sets of its sources.
  #link: Link | undefined = undefined;
  #isTimeout = false;
  /** When a signal of `timeout()` aborts, in ms of `performance.now()`. */
  #deadline = Infinity;
  #abortListeners = 0;
  // Number of dependents with listeners.
  #heldDependents = 0;

  constructor(key: unknown = undefined) {
    if (key !== kCreate) throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
    super();
    // Many operations share one signal, so there is no default limit for its listeners.
    this[kMaxEventTargetListeners] = 0;
  }

  static {
    isSignal = (value): value is AbortSignal => typeof value === "object" && value !== null && #aborted in value;

    signalAbort = (signal, reason) => {
      if (signal.#aborted) return;
      if (reason === undefined) reason = abortReason();
      signal.#aborted = true;
      signal.#reason = reason;
      // All dependents are marked before any listener runs, then the events go out in order of creation.
      const order: AbortSignal[] = [signal];
      const dependents = signal[kDependantSignals];
      if (dependents !== undefined) {
        for (const { ref } of dependents) {
          const dependent = ref.deref();
          if (dependent === undefined || dependent.#aborted) continue;
          dependent.#aborted = true;
          dependent.#reason = reason;
          order.push(dependent);
        }
        dependents.clear();
      }
      for (const item of order) item.#runAbortSteps();
    };

    deadlineOf = (signal) =>
      (signal.#sources ?? []).reduce((first, source) => Math.min(first, source.#deadline), signal.#deadline);

    addAlgorithm = (signal, algorithm) => {
      const set = (signal.#algorithms ??= new Set());
      set.add(algorithm);
      if (++signal.#abortListeners === 1) signal.#setListened(true);
      return () => {
        if (!set.delete(algorithm) || signal.#aborted) return;
        if (--signal.#abortListeners === 0) signal.#setListened(false);
      };
    };
  }

  #runAbortSteps(): void {
    const algorithms = this.#algorithms;
    this.#algorithms = undefined;
    if (algorithms !== undefined) {
      for (const algorithm of algorithms) {
        try {
          algorithm();
        } catch (error) {
          reportListenerError(error);
        }
      }
    }
    if (this[kEvents]?.has("abort")) this.dispatchEvent(new Event("abort", trusted));
    this.#release();
  }

  // An aborted signal needs nobody any more and nobody needs to keep it.
  #release(): void {
    listened.delete(this);
    const sources = this.#sources;
    this.#sources = undefined;
    if (sources === undefined) return;
    const wasHeld = this.#link!.strong !== undefined;
    this.#link!.strong = undefined;
    for (const source of sources) {
      source[kDependantSignals]?.delete(this.#link!);
      if (wasHeld) source.#heldDependents--;
      source.#updateListened();
    }
  }

  // Timeout signals that somebody waits for, directly or through a dependent, are kept alive.
  #updateListened(): void {
    if (!this.#isTimeout) return;
    if (!this.#aborted && this.#abortListeners + this.#heldDependents > 0) listened.add(this);
    else listened.delete(this);
  }

  // Called when the first listener comes (true) and when the last one goes (false).
  #setListened(on: boolean): void {
    if (this.#aborted) return;
    this.#updateListened();
    if (this.#sources === undefined) return;
    this.#link!.strong = on ? this : undefined;
    for (const source of this.#sources) {
      source.#heldDependents += on ? 1 : -1;
      source.#updateListened();
    }
  }

  [kNewListener](
    _size: number,
    type: string,
    _listener: unknown,
    _once: boolean,
    _capture: boolean,
    _passive: boolean,
    weak: boolean,
  ): void {
    if (type !== "abort" || weak) return;
    const signal = AbortSignal.#signal(this);
    if (++signal.#abortListeners === 1) signal.#setListened(true);
  }

  [kRemoveListener](_size: number, type: string, _listener: unknown, _capture: boolean, weak: boolean): void {
    if (type !== "abort" || weak) return;
    const signal = AbortSignal.#signal(this);
    if (--signal.#abortListeners === 0) signal.#setListened(false);
  }

  // `value`, or what it is a proxy of: Node's signals work through proxies.
  static #signal(value: unknown): AbortSignal {
    if (isSignal(value)) return value;
    const target = value !== null && typeof value === "object" ? native("inspect").proxyDetails(value)?.[0] : undefined;
    if (target === undefined || target === null) throw new codes.ERR_INVALID_THIS("AbortSignal");
    return AbortSignal.#signal(target);
  }

  get aborted(): boolean {
    return AbortSignal.#signal(this).#aborted;
  }

  /** What abort() was called with, by default an AbortError (TimeoutError for timeout()); undefined before. */
  get reason() {
    return AbortSignal.#signal(this).#reason;
  }

  throwIfAborted(): void {
    const signal = AbortSignal.#signal(this);
    if (signal.#aborted) throw signal.#reason;
  }

  [inspectCustom](depth: number, options: InspectContext, inspect: Inspect): string {
    return inspectAs(this, { aborted: this.aborted }, depth, options, inspect);
  }

  /** A signal that is aborted already. */
  static abort(reason: unknown = abortReason()): AbortSignal {
    const signal = new AbortSignal(kCreate);
    signal.#aborted = true;
    signal.#reason = reason;
    return signal;
  }

  /** A signal that aborts with a TimeoutError after `delay` ms. Its timer does not keep the process alive. */
  static timeout(delay: number): AbortSignal {
    (require("internal/core/validators").validateUint32 as Check)(delay, "delay", false);
    const signal = new AbortSignal(kCreate);
    signal.#isTimeout = true;
    signal.#deadline = now() + delay;
    const ref = new WeakRef(signal);
    const { setUnrefTimeout, clearTimer } = require("internal/core/timers");
    const timer = setUnrefTimeout(() => {
      const target = ref.deref();
      if (target === undefined) return;
      listened.delete(target);
      signalAbort(target, exception("The operation was aborted due to timeout", "TimeoutError"));
    }, delay);
    require("internal/process/execution").resources.opened?.(
      "",
      () => !timer._destroyed,
      () => clearTimer(timer),
    );
    timerCleanup ??= new FinalizationRegistry((dead) => clearTimer(dead));
    timerCleanup.register(signal, timer);
    return signal;
  }

  /** A signal that aborts as soon as one of `signals` (an iterable) is aborted, with its reason. */
  static any(signals: Iterable<AbortSignal>): AbortSignal {
    const list = sequenceOfSignals(signals);
    const result = new AbortSignal(kCreate);
    for (const signal of list) {
      if (signal.#aborted) {
        result.#aborted = true;
        result.#reason = signal.#reason;
        return result;
      }
    }
    const sources = new Set<AbortSignal>();
    for (const signal of list) {
      // Dependent signals stand for their sources, so that chains never get deeper than one.
      if (signal.#sources === undefined) sources.add(signal);
      else for (const source of signal.#sources) sources.add(source);
    }
    result.#sources = [...sources];
    const link = (result.#link = new Link(result));
    for (const source of sources) (source[kDependantSignals] ??= new Set()).add(link);
    dependentCleanup ??= new FinalizationRegistry((held) => {
      for (const source of held.sources) source.deref()?.[kDependantSignals]?.delete(held.link);
    });
    dependentCleanup.register(result, { link, sources: result.#sources.map((source) => new WeakRef(source)) });
    return result;
  }
}

function sequenceOfSignals(signals: Iterable<AbortSignal>): AbortSignal[] {
  if (
    signals === null ||
    (typeof signals !== "object" && typeof signals !== "function") ||
    typeof signals[Symbol.iterator] !== "function"
  ) {
    throw codedTypeError("ERR_INVALID_ARG_TYPE", "signals can not be converted to sequence.");
  }
  const list = [...signals];
  for (let i = 0; i < list.length; i++) {
    if (!isSignal(list[i])) throw new codes.ERR_INVALID_ARG_TYPE(`signals[${i}]`, "AbortSignal", list[i]);
  }
  return list;
}

defineEventHandler(AbortSignal.prototype, "abort");
makeEnumerable(AbortSignal.prototype, "aborted", "reason", "throwIfAborted");
makeEnumerable(AbortSignal, "abort", "timeout", "any");
defineProperty(AbortSignal.prototype, Symbol.toStringTag, { configurable: true, value: "AbortSignal" });

/**
 * For built-in modules (fetch, fs, streams): runs `algorithm` when `signal` aborts, before the 'abort' event and
 * independent of listeners. Returns a function that takes it back. A signal that is aborted already never calls it.
 */
export function addAbortAlgorithm(signal: AbortSignal, algorithm: () => void): () => void {
  return addAlgorithm(signal, algorithm);
}

/** Milliseconds until `signal` aborts by a timeout, for calls that wait without turns of the loop; Infinity without one. */
export function abortDelay(signal: AbortSignal): number {
  return deadlineOf(signal) - now();
}

export function isAbortSignal(value: unknown): value is AbortSignal {
  return isSignal(value);
}

/** A new signal and the function that aborts it, without a controller object. */
export function createAbortSignal(): { signal: AbortSignal; abort: (reason?: unknown) => void } {
  const signal = new AbortSignal(kCreate);
  return { signal, abort: (reason?) => signalAbort(signal, reason) };
}

function inspectAs(self: object, value: object, depth: number, options: InspectContext, inspect: Inspect): string {
  const name = self.constructor.name;
  if (depth < 0) return `[${name}]`;
  const inner = { ...options, depth: Number.isInteger(options.depth) ? options.depth! - 1 : options.depth };
  return `${name} ${inspect(value, inner)}`;
}

export class AbortController {
  // Made when it is first asked for: many controllers are only created just in case.
  #signal: AbortSignal | undefined = undefined;

  static #check(value: unknown): void {
    if (typeof value !== "object" || value === null || !(#signal in value))
      throw new codes.ERR_INVALID_THIS("AbortController");
  }

  get signal(): AbortSignal {
    AbortController.#check(this);
    return (this.#signal ??= new AbortSignal(kCreate));
  }

  /** Aborts the signal, once; `reason` defaults to an AbortError DOMException. */
  abort(reason: unknown = undefined): void {
    AbortController.#check(this);
    signalAbort((this.#signal ??= new AbortSignal(kCreate)), reason);
  }

  [inspectCustom](depth: number, options: InspectContext, inspect: Inspect): string {
    return inspectAs(this, { signal: this.signal }, depth, options, inspect);
  }
}
makeEnumerable(AbortController.prototype, "signal", "abort");
defineProperty(AbortController.prototype, Symbol.toStringTag, { configurable: true, value: "AbortController" });
