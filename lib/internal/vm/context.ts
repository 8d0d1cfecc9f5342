/** The contexts of node:vm: realms with an object of the program's in front. */

import { codes } from "internal/errors";
import { kValidateObjectAllowArray, validateObject } from "internal/validators";

const ops = native("vm");
const { ERR_INVALID_ARG_TYPE } = codes as any;

export interface Context {
  /** Global object of the realm. */
  global: any;
  /** What the realm's global object has of itself. */
  own: Set<PropertyKey>;
  /** Declarations that were carried over, with the value they had. */
  carried: Map<PropertyKey, unknown>;
  /** Names of the realm's own that read the contextified object, for modules. */
  shadowed: Set<PropertyKey>;
  /** Whether the object is the realm's global object itself. */
  vanilla: boolean;
  /** Modules without a name so far. */
  modules: number;
}

/** What sets a realm apart: whether code may be made of strings and of WebAssembly, and whether it keeps its microtasks. */
export interface RealmSettings {
  strings: boolean;
  wasm: boolean;
  ownMicrotasks: boolean;
}

export const contexts = new WeakMap<object, Context>();

export function makeContext(global: any, vanilla: boolean): Context {
  const own = new Set(vanilla ? [] : Reflect.ownKeys(global));
  return { global, own, carried: new Map(), shadowed: new Set(), vanilla, modules: 0 };
}

export function makeRealm({ strings, wasm, ownMicrotasks }: RealmSettings): any {
  return ops.createRealm(strings, wasm, ownMicrotasks);
}

/** An object that reads through to the contextified object and the realm: what `globalThis` is inside. */
function globalView(sandbox: any, global: any): any {
  return new Proxy(sandbox, {
    get: (_target, key) => (key in sandbox ? sandbox[key] : global[key]),
    has: (_target, key) => key in sandbox || key in global,
    set(_target, key, value) {
      sandbox[key] = value;
      return true;
    },
    getOwnPropertyDescriptor(_target, key) {
      const own = Reflect.getOwnPropertyDescriptor(sandbox, key);
      if (own !== undefined) return own;
      const below = Reflect.getOwnPropertyDescriptor(global, key);
      // A proxy may not report properties as fixed that its target does not have.
      return below === undefined ? undefined : { ...below, configurable: true };
    },
    getPrototypeOf: () => Reflect.getPrototypeOf(global),
  });
}

export function contextify(sandbox: any, settings: RealmSettings): Context {
  const global = makeRealm(settings);
  const context = makeContext(global, false);
  const objectPrototype = global.Object.prototype;
  Object.defineProperty(global, "globalThis", {
    value: globalView(sandbox, global),
    writable: true,
    enumerable: false,
    configurable: true,
  });
  // `this` of a sloppy function is the realm's global object: it sees the contextified object through its prototype.
  Object.setPrototypeOf(
    global,
    new Proxy(objectPrototype, {
      get: (_target, key, receiver) => (key in sandbox ? sandbox[key] : Reflect.get(objectPrototype, key, receiver)),
      has: (_target, key) => key in sandbox || key in objectPrototype,
      getPrototypeOf: () => Reflect.getPrototypeOf(objectPrototype),
      set(_target, key, value, receiver) {
        if (key in sandbox) {
          sandbox[key] = value;
          return true;
        }
        return Reflect.defineProperty(receiver, key, { value, writable: true, enumerable: true, configurable: true });
      },
    }),
  );
  return context;
}

/** Carries what a script declared over to the contextified object. */
export function carryOver(context: Context, sandbox: any) {
  const { global, own, carried } = context;
  for (const key of Reflect.ownKeys(global)) {
    if (own.has(key)) continue;
    const descriptor = Reflect.getOwnPropertyDescriptor(global, key)!;
    if (descriptor.get !== undefined || descriptor.set !== undefined) {
      if (!carried.has(key)) Reflect.defineProperty(sandbox, key, { ...descriptor, configurable: true });
      carried.set(key, undefined);
      continue;
    }
    const { value } = descriptor;
    if (carried.has(key) && Object.is(carried.get(key), value)) continue;
    carried.set(key, value);
    // A variable that was only declared: the object may have had the name before.
    if (value === undefined && key in sandbox) continue;
    sandbox[key] = value;
  }
}

export function contextOf(object: any): Context {
  validateObject(object, "object", kValidateObjectAllowArray);
  const context = contexts.get(object);
  if (context === undefined) throw new ERR_INVALID_ARG_TYPE("contextifiedObject", "vm.Context", object);
  return context;
}

/** Whether an object has been contextified. */
export function isContext(object: any): boolean {
  validateObject(object, "object", kValidateObjectAllowArray);
  return contexts.has(object);
}

/**
 * Makes names that both the realm and the contextified object have read the object's: a script looks there first, but a
 * module has only the realm's global object in front.
 */
export function shadow(context: Context, sandbox: any) {
  const { global, own, shadowed } = context;
  for (const key of Reflect.ownKeys(sandbox)) {
    if (!own.has(key) || shadowed.has(key)) continue;
    const before = Reflect.getOwnPropertyDescriptor(global, key);
    if (before?.configurable === false) continue;
    shadowed.add(key);
    Object.defineProperty(global, key, {
      get: () => (key in sandbox ? sandbox[key] : before?.value),
      set(value) {
        sandbox[key] = value;
      },
      enumerable: before?.enumerable ?? false,
      configurable: true,
    });
  }
}
