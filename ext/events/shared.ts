// What node:events and web/event_target both need, without loading each other.

/** `default`: EventEmitter.defaultMaxListeners, which holds for new EventTargets as well. */
export const listenerLimits = { default: 10 };

export const kMaxEventTargetListeners = Symbol("events.maxEventTargetListeners");
export const kMaxEventTargetListenersWarned = Symbol("events.maxEventTargetListenersWarned");

/** Where an EventTarget keeps its listeners: a Map from type to ListenerList; present on every EventTarget. */
export const kEvents = Symbol("kEvents");
/** Option of addEventListener: the listener is called although an earlier one stopped the propagation. */
export const kResistStopPropagation = Symbol("kResistStopPropagation");
/** Option of addEventListener: the listener is held only as long as the option's value (an object) lives. */
export const kWeakHandler = Symbol("kWeakHandler");

/** Whether a value is an EventTarget. */
export function isEventTarget(value: unknown): boolean {
  return value !== null && value !== undefined && (value as { [kEvents]?: unknown })[kEvents] !== undefined;
}
