// Async ids and createHook() callbacks (Node's async_hooks, the low-level half).
//
// Ids cost something at every timer and tick, and next to no program asks for them. So nothing is tracked until
// `tracking.enabled` is set by the first call of executionAsyncId(), triggerAsyncId(), executionAsyncResource()
// or createHook(...).enable(); from then on every JavaScript made resource (Timeout, Immediate, TickObject,
// Microtask, AsyncResource) gets an id when it is created. Resources created before that have id 0 and are
// given an id when their callback starts. Promises have ids while a hook is enabled that wants them (promise_hooks.ts).

import { tracking, kAsyncId, kTriggerId } from "internal/events/async_context";

const bootstrapId = 1;
let lastId = bootstrapId;
let executionId = bootstrapId;
let triggerId = 0;
let currentResource: unknown = null;
let topLevelResource: unknown;
// [executionId, triggerId, resource] triples of the callbacks that are suspended below the current one.
const stack: unknown[] = [];
let enabledHooks: Hook[] = [];

/** The callbacks of createHook(). */
export interface Hook {
  init?: Function;
  before?: Function;
  after?: Function;
  destroy?: Function;
  promiseResolve?: Function;
  /** False where promises are none of the hook's business. */
  trackPromises?: boolean;
}

/** What the enabled hooks want of promises. */
export interface PromiseWishes {
  /** One of them is to hear of promises. */
  any: boolean;
  /** One of them that is to has `promiseResolve`. */
  settled: boolean;
  /** One of them that is to has `destroy`. */
  destroyed: boolean;
}

const PROMISE = "PROMISE";

export function newAsyncId(): number {
  return ++lastId;
}

/** The id of the running callback: 1 at top level, 0 when the callback was started by native code without an id. */
export function getExecutionAsyncId(): number {
  return executionId;
}

export function getTriggerAsyncId(): number {
  return triggerId;
}

export function getExecutionResource() {
  if (currentResource !== null) return currentResource;
  return (topLevelResource ??= {});
}

/** Announces a new resource to the hooks. */
export function emitInit(id: number, type: string, trigger: number, resource: unknown): void {
  if (!tracking.hooks) return;
  const hooks = enabledHooks;
  for (let i = 0; i < hooks.length; i++) {
    const { init, trackPromises } = hooks[i]!;
    if (type === PROMISE && trackPromises === false) continue;
    if (init !== undefined) guarded(hooks[i]!, init, [id, type, trigger, resource]);
  }
}

function emitSimple(key: "before" | "after" | "destroy" | "promiseResolve", id: number, ofPromise = false): void {
  const hooks = enabledHooks;
  for (let i = 0; i < hooks.length; i++) {
    if (ofPromise && hooks[i]!.trackPromises === false) continue;
    const callback = hooks[i]![key];
    if (callback !== undefined) guarded(hooks[i]!, callback, [id]);
  }
}

/** Whether a hook has found no room on the stack: the program's own recursion, which it may catch. */
export function isRecursion(error: unknown): boolean {
  return error instanceof RangeError && error.message === "Maximum call stack size exceeded";
}

function guarded(hook: Hook, callback: Function, args: unknown[]): void {
  try {
    Reflect.apply(callback, hook, args);
  } catch (error) {
    if (isRecursion(error)) throw error;
    fatal(error);
  }
}

// What a hook throws ends the process at once, as in Node: nobody can say what state the hooks are in.
function fatal(error: unknown): void {
  const ops = native("process");
  const text =
    typeof (error as Error | undefined)?.stack === "string"
      ? (error as Error).stack
      : `Error: ${require("node:util").inspect(error)}`;
  ops.stdioWrite(2, `${text}\n`);
  ops.reallyExit(1);
}

function enter(id: number, trigger: number, resource: unknown): void {
  stack.push(executionId, triggerId, currentResource);
  executionId = id;
  triggerId = trigger;
  currentResource = resource;
}

/** Enters the callback of a resource; pair with emitAfter(). */
export function emitBefore(id: number, trigger: number, resource: unknown): void {
  enter(id, trigger, resource);
  if (tracking.hooks) emitSimple("before", id);
}

/** The same for a job of a promise; pair with leavePromise(). */
export function enterPromise(id: number, trigger: number, promise: Promise<unknown>): void {
  enter(id, trigger, promise);
  emitSimple("before", id, true);
}

/** Tells the hooks, and leaves the job if it was entered: a hook may have been enabled within. */
export function leavePromise(id: number): void {
  emitSimple("after", id, true);
  if (executionId === id) leave();
}

/** Tells the hooks, which were enabled within the callback of a resource, that it is over. */
export function tellLateAfter(resource: Tracked): void {
  resource[kAsyncId] ||= newAsyncId();
  emitSimple("after", resource[kAsyncId]);
}

/** Tells the hooks that a promise is settled. */
export function tellSettled(id: number): void {
  emitSimple("promiseResolve", id, true);
}

function emitAfter(id: number): void {
  if (tracking.hooks) emitSimple("after", id);
  leave();
}

function leave(): void {
  if (stack.length === 0) return;
  currentResource = stack.pop();
  triggerId = stack.pop() as number;
  executionId = stack.pop() as number;
}

/** The stack's depth, to be given to unwindTo() after a callback threw past its emitAfter(). */
export function stackDepth(): number {
  return stack.length;
}

/** Leaves the callbacks above `depth`, with their `after` hooks: what Node does when an exception was handled. */
export function unwindTo(depth: number): void {
  while (stack.length > depth) emitAfter(executionId);
}

/** Tells the `destroy` hooks, after the running callback as Node does. */
export function emitDestroy(id: number): void {
  if (!tracking.hooks || id <= 0) return;
  let wanted = false;
  for (let i = 0; i < enabledHooks.length; i++) wanted ||= enabledHooks[i]!.destroy !== undefined;
  if (!wanted) return;
  if (destroyQueue.push(id) === 1) native("loop").enqueueMicrotask(flushDestroyQueue);
}

/** Whether the destroy hooks of a resource have been called. */
export type Life = { id: number; destroyed: boolean };
let collected: FinalizationRegistry<Life> | undefined;

/** Tells the destroy hooks when a resource is collected, unless they have been told by then. */
export function watchForDestroy(resource: WeakKey, life: Life): void {
  collected ??= new FinalizationRegistry((dead) => {
    if (!dead.destroyed) emitDestroy(dead.id);
  });
  collected.register(resource, life);
}

const destroyQueue: number[] = [];

function flushDestroyQueue(): void {
  for (let i = 0; i < destroyQueue.length; i++) emitSimple("destroy", destroyQueue[i]!);
  destroyQueue.length = 0;
}

/** What has async ids: a timer, a tick, an AsyncResource. */
export interface Tracked {
  [kAsyncId]: number;
  [kTriggerId]: number;
}

/** Gives a resource object its ids and tells the hooks; `trigger` defaults to the running callback's id. */
export function initResource(resource: Tracked, type: string): void {
  const id = (resource[kAsyncId] = newAsyncId());
  const trigger = (resource[kTriggerId] = executionId);
  emitInit(id, type, trigger, resource);
}

/** The same for an object of the program's, whose ids nobody sees on it. */
export function initObject(object: object, type: string): void {
  for (const key of [kAsyncId, kTriggerId])
    Object.defineProperty(object, key, { value: 0, writable: true, configurable: true });
  initResource(object as Tracked, type);
}

/** Calls one of many callbacks of a resource that `initResource` or `initObject` has announced. */
export function callWithin<This extends object>(resource: This, callback: (this: This) => void): void {
  const { [kAsyncId]: id, [kTriggerId]: trigger } = resource as unknown as Tracked;
  if (id === undefined) {
    callback.call(resource);
    return;
  }
  const depth = stackDepth();
  emitBefore(id, trigger, resource);
  callback.call(resource);
  unwindTo(depth);
}

/** Tells that a resource is gone, once. */
export function endObject(object: object): void {
  const { [kAsyncId]: id } = object as Tracked;
  if (!(id > 0)) return;
  (object as Tracked)[kAsyncId] = 0;
  emitDestroy(id);
}

/**
 * A callback of native code as that of a resource of its own, for when ids are tracked. What it throws is an uncaught exception, whose
 * handlers run within the resource.
 */
export function trackedCallback<A extends unknown[]>(
  callback: (...args: A) => void,
  type: string,
): (...args: A) => void {
  const resource: Tracked = { [kAsyncId]: 0, [kTriggerId]: 0 };
  initResource(resource, type);
  return (...args) => {
    const depth = stackDepth();
    emitBefore(resource[kAsyncId], resource[kTriggerId], resource);
    try {
      callback(...args);
    } catch (error) {
      native("loop").triggerUncaughtException(error, false);
    }
    unwindTo(depth);
    emitDestroy(resource[kAsyncId]);
  };
}

/** Whether any hook is enabled. */
export function enabledHooksExist(): boolean {
  return enabledHooks.length > 0;
}

/** Adds an enabled hook. The list is replaced, not changed, because a running emit iterates over the old one. */
export function enableHook(hook: Hook): void {
  if (enabledHooks.includes(hook)) return;
  enabledHooks = [...enabledHooks, hook];
  tracking.enabled = true;
  tracking.hooks = true;
  wishForPromises();
}

export function disableHook(hook: Hook): void {
  enabledHooks = enabledHooks.filter((other) => other !== hook);
  tracking.hooks = enabledHooks.length > 0;
  wishForPromises();
}

let wished = false;

function wishForPromises(): void {
  const hooks = enabledHooks.filter((hook) => hook.trackPromises !== false);
  const any = hooks.length > 0;
  if (!any && !wished) return;
  wished = true;
  require("internal/events/promise_hooks").wish({
    any,
    settled: hooks.some((hook) => hook.promiseResolve !== undefined),
    destroyed: hooks.some((hook) => hook.destroy !== undefined),
  });
}
