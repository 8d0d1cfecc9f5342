// What async_hooks sees of native addons: the async contexts of works, thread-safe functions and napi_async_init.
// Called by native/callbacks.rs.

import { captureContext, exchangeContext } from "internal/events/async_context";
import {
  emitBefore,
  emitDestroy,
  emitInit,
  getExecutionAsyncId,
  newAsyncId,
  stackDepth,
  unwindTo,
} from "internal/events/async_ids";

interface Context {
  id: number;
  trigger: number;
  resource: object;
  frame: unknown;
}

interface Domain {
  enter(): void;
  exit(): void;
}

/** `[frame before, depth before]` */
type Entered = [unknown, number];

/** A new resource of type `type`; `given` stands for it in hooks if there is one. */
export function init(given: object | undefined, type: string): Context {
  const resource = given ?? {};
  const id = newAsyncId();
  const trigger = getExecutionAsyncId();
  emitInit(id, type, trigger, resource);
  return { id, trigger, resource, frame: captureContext() };
}

/** Before a callback of the resource; pair with `leave`. */
export function enter(context: Context): Entered {
  const before: Entered = [exchangeContext(context.frame), stackDepth()];
  emitBefore(context.id, context.trigger, context.resource);
  return before;
}

/** After it. */
export function leave(_context: Context, entered: Entered): void {
  unwindTo(entered[1]);
  exchangeContext(entered[0]);
}

/** A call of `napi_make_callback` once `node:domain` is in use: in the domain of the object that it is a call on. */
export function callInDomain(self: { domain?: Domain | null }, callee: Function, ...args: unknown[]): unknown {
  const domain = self.domain;
  domain?.enter();
  // What is thrown is handled by the domain, which is active still.
  const result: unknown = Reflect.apply(callee, self, args);
  domain?.exit();
  return result;
}

/** The resource is not used any more. */
export function destroy(context: Context): void {
  emitDestroy(context.id);
}
