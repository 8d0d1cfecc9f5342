// Hash, Hmac, ciphers and signers are streams, but hardly any program uses them as such. Their prototypes have a stand-in where
// Transform.prototype or Writable.prototype belongs; node:stream is loaded when somebody looks for something that only a stream has.

const { prototype: objectPrototype } = Object;

/** Names that are looked for in any object: no reason to load streams. */
function isCommon(key: PropertyKey): boolean {
  if (typeof key === "symbol") return key !== Symbol.asyncIterator && key !== Symbol.asyncDispose;
  return key in objectPrototype || key === "then" || key === "toJSON";
}

/** An object whose state is made by the constructor of its stream class. */
interface LazyStream {
  _options: unknown;
  _writableState?: { decodeStrings: boolean };
  [state: string]: unknown;
}

/** Gives a function that puts a stand-in for a stream's prototype behind others. */
function maker(kind: "Transform" | "Writable") {
  /** Prototypes that still have the stand-in. */
  const waiting: object[] = [];
  let real: object | undefined;

  /** Has an object initialised as a stream when the state of a stream is first looked at. */
  function stateAccessor(name: string): PropertyDescriptor {
    return {
      configurable: true,
      enumerable: true,
      get(this: LazyStream) {
        require("node:stream")[kind].call(this, this._options);
        this._writableState!.decodeStrings = false;
        return this[name];
      },
      set(value: unknown) {
        Object.defineProperty(this, name, { value, configurable: true, enumerable: true, writable: true });
      },
    };
  }

  /** Puts the real thing in the place of the stand-in. */
  function load(): object {
    if (real === undefined) {
      const states: PropertyDescriptorMap = { _writableState: stateAccessor("_writableState") };
      if (kind === "Transform") states._readableState = stateAccessor("_readableState");
      real = Object.create(require("node:stream")[kind].prototype, states);
    }
    for (const prototype of waiting.splice(0)) Object.setPrototypeOf(prototype, real!);
    return real!;
  }

  const standIn = new Proxy(Object.create(null), {
    get: (_target, key, receiver) => Reflect.get(isCommon(key) ? objectPrototype : load(), key, receiver),
    has: (_target, key) => (isCommon(key) ? key in objectPrototype : key in load()),
    set: (_target, key, value, receiver) => Reflect.set(isCommon(key) ? objectPrototype : load(), key, value, receiver),
    getPrototypeOf: () => load(),
    getOwnPropertyDescriptor: (_target, key) => (isCommon(key) ? undefined : void load()),
    ownKeys: () => [],
  });

  return (prototype: object): void => {
    if (real !== undefined) {
      Object.setPrototypeOf(prototype, real);
      return;
    }
    waiting.push(prototype);
    Object.setPrototypeOf(prototype, standIn);
  };
}

/** Makes the objects of a prototype Transform streams. The objects have `_options`, `_transform` and `_flush`. */
export const makeLazyTransform = maker("Transform");

/** The same for Writable streams; the objects have `_options` and `_write`. */
export const makeLazyWritable = maker("Writable");
