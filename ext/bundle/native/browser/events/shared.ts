// What node:events and its parts share, for browsers, whose EventTargets have no table of listeners to be seen.

export const listenerLimits = { default: 10 };

export const kMaxEventTargetListeners = Symbol("events.maxEventTargetListeners");
export const kMaxEventTargetListenersWarned = Symbol("events.maxEventTargetListenersWarned");
export const kEvents = Symbol("kEvents");
export const kResistStopPropagation = Symbol("kResistStopPropagation");
export const kWeakHandler = Symbol("kWeakHandler");

export function isEventTarget(value: unknown): boolean {
  return value instanceof globalThis.EventTarget;
}
