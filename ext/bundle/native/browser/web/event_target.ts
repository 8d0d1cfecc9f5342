// What Node's modules ask about EventTargets, for browsers, whose targets do not tell their listeners.

export const kResistStopPropagation = Symbol("kResistStopPropagation");
export const kWeakHandler = Symbol("kWeakHandler");
export const { EventTarget } = globalThis;

export function getTargetListeners(_target: EventTarget, _type: string | symbol): Function[] {
  return [];
}
