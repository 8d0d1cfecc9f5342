// Who opens what: timers, sockets, processes and the like belong to the `Bun.ModuleGraph` in whose async context they were opened
// (https://bun.com/docs/runtime/module-graph). Its end closes them, and nothing is told of it.
//
// A context is a list of keys and values (see node/async_hooks.ts). The owner is the value of one more key, so it follows the code as the
// values of an AsyncLocalStorage do.

import { asyncContext, captureContext, exchangeContext, ownership, runInContext } from "internal/events/async_context";

/** The key of the owner in a context. */
const kOwner = { name: "owner" };

/** How many resources an owner notes before it looks which of them are gone. */
const FIRST_SWEEP = 64;

type Close = (resource: object) => void;

type ErrorKind = "uncaughtException" | "unhandledRejection";

/** Called with errors that nobody has caught. */
export type OnError = (error: unknown, kind: ErrorKind) => void;

let lastOwner = 0;

/** What a graph is to those that open something. */
export class Owner {
  isDisposed = false;
  readonly number = ++lastOwner;
  /** Who made it, and the context that it was made in. */
  readonly maker: Owner | undefined;
  readonly #context: unknown;
  readonly #onError: OnError | undefined;
  /** Resources are held by what they are open in; who is collected has nothing to close. */
  #resources = new Set<WeakRef<object>>();
  #closers = new WeakMap<object, Close>();
  #sweepAt = FIRST_SWEEP;

  constructor(onError: OnError | undefined) {
    this.#context = captureContext();
    this.maker = ownerOf(this.#context);
    this.#onError = onError;
    ownership.own = own as NonNullable<typeof ownership.own>;
    ownership.current = () => currentOwner()?.number ?? 0;
    asyncContext.active = true;
  }

  /** Calls a function in a context of this owner. */
  run<This, A extends unknown[], R>(fn: (this: This, ...args: A) => R, self: This, args: A): R {
    return runAs(this, fn, self, args);
  }

  note(resource: object, close: Close): void {
    this.#closers.set(resource, close);
    this.#resources.add(new WeakRef(resource));
    if (this.#resources.size < this.#sweepAt) return;
    for (const known of this.#resources) if (known.deref() === undefined) this.#resources.delete(known);
    this.#sweepAt = Math.max(FIRST_SWEEP, this.#resources.size * 2);
  }

  /**
   * Gives an error that happened in one of this owner's contexts to its handler, or to that of who made it. False if the program's own
   * handlers are to have it. What the handler throws is an error of who made this owner, in the context of then.
   */
  takesError(error: unknown, kind: ErrorKind): boolean {
    const onError = this.#onError;
    if (onError === undefined) return this.maker?.takesError(error, kind) ?? false;
    const prior = exchangeContext(this.#context);
    try {
      onError(error, kind);
    } catch (thrown) {
      exchangeContext(this.#context);
      native("loop").triggerUncaughtException(thrown, false);
    } finally {
      exchangeContext(prior);
    }
    return true;
  }

  /** Closes all that was opened. */
  dispose(): void {
    this.isDisposed = true;
    ownership.isAbandoned = isAbandoned;
    const isOwned = (context: unknown) => ownerOf(context) === this;
    for (const close of ownership.closers) attempt(() => close(isOwned));
    const resources = this.#resources;
    this.#resources = new Set();
    for (const known of resources) {
      const resource = known.deref();
      if (resource !== undefined) attempt(() => this.#closers.get(resource)!(resource));
    }
  }
}

// One that cannot be closed does not keep the others open.
function attempt(close: () => void): void {
  try {
    close();
  } catch {
    // It was half open, or closed already.
  }
}

/** The owner of a context. */
function ownerOf(context: unknown): Owner | undefined {
  const frame = context as unknown[] | undefined;
  if (frame === undefined) return undefined;
  for (let i = 0; i < frame.length; i += 2) if (frame[i] === kOwner) return frame[i + 1] as Owner;
  return undefined;
}

/** The owner of the context that runs. */
export function currentOwner(): Owner | undefined {
  return ownerOf(captureContext());
}

/** Calls a function in the context that runs, but for its owner: undefined is the program. */
export function runAs<This, A extends unknown[], R>(
  owner: Owner | undefined,
  fn: (this: This, ...args: A) => R,
  self: This,
  args: A,
): R {
  return runInContext(withOwner(captureContext() as unknown[] | undefined, owner), fn, self, args);
}

// Frames are never changed: others may have captured them.
function withOwner(frame: unknown[] | undefined, owner: Owner | undefined): unknown[] | undefined {
  if (ownerOf(frame) === owner) return frame;
  const next = frame?.slice() ?? [];
  const at = next.findIndex((key, i) => i % 2 === 0 && key === kOwner);
  if (at >= 0) next.splice(at, 2);
  if (owner !== undefined) next.push(kOwner, owner);
  return next.length === 0 ? undefined : next;
}

function own(resource: object, close: Close): void {
  const owner = currentOwner();
  if (owner === undefined) return;
  if (!owner.isDisposed) return owner.note(resource, close);
  // What code of a disposed graph leaves behind may still open something: it is closed as soon as it is whole.
  runInContext(undefined, queueMicrotask, undefined, [() => attempt(() => close(resource))]);
}

/** Whether the owner of a context is disposed: nothing that ends in such a context is told. Native code asks as well. */
export function isAbandoned(context: unknown): boolean {
  return ownerOf(context)?.isDisposed === true;
}

/** Whether the owner of the context that runs takes an error that nobody has caught. */
export function takesError(error: unknown, kind: ErrorKind): boolean {
  return currentOwner()?.takesError(error, kind) ?? false;
}
