/** What the classes of the Fetch standard have in common: arguments as WebIDL converts them, and iterators of pairs. */

/** A TypeError unless at least `least` arguments were passed. */
export function requireArguments(given: number, least: number, name: string): void {
  if (given < least) {
    throw new TypeError(`${name}: ${least} argument${least === 1 ? "" : "s"} required, but only ${given} found.`);
  }
}

/** A string of characters up to U+00FF. */
export function byteString(value: unknown, name: string): string {
  const text = `${value}`;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 255) {
      throw new TypeError(
        `${name}: cannot convert to a ByteString because the character at index ${i} has a value ` +
          `of ${code} which is greater than 255.`,
      );
    }
  }
  return text;
}

/** A string without unpaired surrogates. */
export const usvString = (value: unknown): string => `${value}`.toWellFormed();

/** "Illegal invocation" of a member of `name`. */
export function wrongThis(name: string): TypeError {
  return new TypeError(`Illegal invocation: this is no ${name}`);
}

/** Makes members enumerable, and sets what Object.prototype.toString says. */
export function finishInterface(type: { prototype?: unknown }, name: string, members: string[]): void {
  for (const member of members) {
    const descriptor = Object.getOwnPropertyDescriptor(type.prototype, member)!;
    descriptor.enumerable = true;
    Object.defineProperty(type.prototype, member, descriptor);
  }
  Object.defineProperty(type.prototype, Symbol.toStringTag, { configurable: true, value: name });
}

const iteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));

/**
 * keys, values, entries, forEach and Symbol.iterator for a class of name-value pairs. `pairsOf(object)` gives the pairs
 * as they are at the moment, or throws if `object` is none of the class; iterators look again at each step.
 */
export function makeIterable(
  type: { prototype?: unknown },
  name: string,
  pairsOf: (object: unknown) => [string, unknown][],
): void {
  class PairIterator {
    #target: unknown;
    #kind: number;
    #index = 0;

    constructor(target: unknown, kind: number) {
      this.#target = target;
      this.#kind = kind;
    }

    next() {
      if (!(typeof this === "object" && this !== null && #target in this)) throw wrongThis(`${name} Iterator`);
      const pairs = pairsOf(this.#target);
      if (this.#index >= pairs.length) return { value: undefined, done: true };
      const pair = pairs[this.#index++]!;
      return { value: this.#kind === 2 ? [pair[0], pair[1]] : pair[this.#kind], done: false };
    }
  }
  delete (PairIterator.prototype as { constructor?: unknown }).constructor;
  Object.setPrototypeOf(PairIterator.prototype, iteratorPrototype);
  finishInterface(PairIterator, `${name} Iterator`, ["next"]);

  const make = (target: unknown, kind: number) => {
    pairsOf(target);
    return new PairIterator(target, kind);
  };
  const methods: { [name: string]: (this: unknown, callback: unknown) => unknown } = {
    keys() {
      return make(this, 0);
    },
    values() {
      return make(this, 1);
    },
    entries() {
      return make(this, 2);
    },
    forEach(callback: unknown) {
      pairsOf(this);
      requireArguments(arguments.length, 1, `${name}.forEach`);
      if (typeof callback !== "function") {
        throw new TypeError(`${name}.forEach: the first argument is not a function`);
      }
      for (let index = 0; ; index++) {
        const pairs = pairsOf(this);
        if (index >= pairs.length) return;
        callback.call(arguments[1], pairs[index]![1], pairs[index]![0], this);
      }
    },
  };
  for (const key of Object.keys(methods)) {
    Object.defineProperty(type.prototype, key, {
      configurable: true,
      enumerable: true,
      writable: true,
      value: methods[key],
    });
  }
  Object.defineProperty(type.prototype, Symbol.iterator, {
    configurable: true,
    enumerable: false,
    writable: true,
    value: methods.entries,
  });
}
