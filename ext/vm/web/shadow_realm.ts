/**
 * `ShadowRealm` (https://tc39.es/proposal-shadowrealm/): a realm with the language's globals only. Primitives pass between it and
 * the program as they are, functions as wrapped functions, other objects not at all.
 */
import type { Holder } from "internal/vm/import";
import { RealmModules, textOf } from "internal/vm/shadow_modules";
import { makeContext } from "internal/vm/context";

/** What a call through a wrapped function comes to: a value of the other realm, or the text of a TypeError. */
type Outcome = [failed: false, value: unknown] | [failed: true, message: string];

type Bridge = (self: unknown, args: unknown[]) => Outcome;

/** What is made in a realm for the other one. */
interface Side {
  /** A function of this realm that calls `bridge`. */
  wrapped(bridge: Bridge, name: string, length: number): Function;
}

/**
 * Runs in each of the two realms. The function that comes back must not let anything of the other realm be seen, so what `bridge`
 * throws itself (out of stack) is a TypeError of this realm, too.
 */
const sideText = `(() => {
  "use strict";
  const { TypeError, Object: { defineProperty } } = globalThis;
  const evaluate = eval;
  return {
    evaluate: (text) => evaluate(text),
    typeError: (message) => new TypeError(message),
    wrapped(bridge, name, length) {
      const { wrapped } = {
        wrapped(...args) {
          let outcome;
          try {
            outcome = bridge(this, args);
          } catch {
            throw new TypeError("the call across the boundary of the ShadowRealm failed");
          }
          if (outcome[0]) throw new TypeError(outcome[1]);
          return outcome[1];
        },
      };
      const hidden = (value) => ({ __proto__: null, value, writable: false, enumerable: false, configurable: true });
      defineProperty(wrapped, "name", hidden(name));
      defineProperty(wrapped, "length", hidden(length));
      return wrapped;
    },
  };
})()`;

interface InnerSide extends Side {
  evaluate(text: string): unknown;
  /** A TypeError of the realm. */
  typeError(message: string): unknown;
}

const ops = native("vm");

/** Runs code of this file in the realm of a global object; `holder` answers its `import()`, and that of the texts which it evaluates. */
function runInside<T>(text: string, global: object, holder?: Holder): T {
  const [script] = ops.compile(text, "internal/vm/shadow_realm", 1, 1, false, false, undefined);
  try {
    return ops.runIn(script, global, 0, false, holder) as T;
  } finally {
    ops.release(script);
  }
}

let outerSide: Side | undefined;

/** This realm's own side. */
function outer(): Side {
  return (outerSide ??= runInside<Side>(sideText, globalThis));
}

/** `length` of a wrapped function, from that of its target. */
function lengthOf(target: Function): number {
  if (!Object.hasOwn(target, "length")) return 0;
  const length: unknown = target.length;
  if (typeof length !== "number" || length !== length) return 0;
  if (length === Infinity || length === -Infinity) return length > 0 ? Infinity : 0;
  return Math.max(Math.trunc(length), 0);
}

/** A value of the realm `from` for the realm `to`. Throws a TypeError of this realm for objects that are not functions. */
function carry(value: unknown, from: Side, to: Side): unknown {
  if (typeof value === "function") return wrap(value, from, to);
  if (typeof value === "object" && value !== null) {
    throw new TypeError("only primitives and functions can cross the boundary of a ShadowRealm");
  }
  return value;
}

function wrap(target: Function, from: Side, to: Side): Function {
  let name: unknown;
  let length: number;
  try {
    length = lengthOf(target);
    ({ name } = target);
  } catch (error) {
    throw new TypeError(`the function cannot be wrapped for another realm: ${textOf(error)}`);
  }
  const bridge: Bridge = (self, args) => {
    try {
      const values: unknown[] = [];
      for (let i = 0; i < args.length; i++) values[i] = carry(args[i], to, from);
      const receiver = carry(self, to, from);
      return [false, carry(Reflect.apply(target, receiver, values), from, to)];
    } catch (error) {
      return [true, textOf(error)];
    }
  };
  return to.wrapped(bridge, typeof name === "string" ? name : "", length);
}

/** A file of the working directory, which imports what texts import. */
const here = () => `${process.cwd()}/[shadow realm]`;

/** A realm of its own, see the file's head. */
export class ShadowRealm {
  #side: InnerSide;
  #modules: RealmModules;

  constructor() {
    // Texts are no files: what they import is found from the working directory.
    const holder: Holder = { load: (specifier) => this.#modules.load(specifier, here()) };
    const { global } = makeContext({ strings: true, wasm: true, ownMicrotasks: false, holder });
    Reflect.deleteProperty(global, "console");
    this.#side = runInside<InnerSide>(sideText, global, holder);
    this.#modules = new RealmModules(global, this.#side.typeError);
  }

  static #sideOf(value: unknown): InnerSide {
    if (typeof value !== "object" || value === null || !(#side in value)) {
      throw new TypeError("this is not a ShadowRealm");
    }
    return value.#side;
  }

  /**
   * The value of a text that is run in the realm, as a script in indirect eval. Throws a SyntaxError if it cannot be parsed and a
   * TypeError for everything that it throws.
   */
  evaluate(sourceText: string): unknown {
    const side = ShadowRealm.#sideOf(this);
    if (typeof sourceText !== "string") throw new TypeError("ShadowRealm.prototype.evaluate expects a string");
    // Errors of the parser are this realm's, so it is asked here first.
    const [script] = ops.compile(sourceText, "evalmachine.<anonymous>", 1, 1, false, false, undefined);
    ops.release(script);
    let value: unknown;
    try {
      value = side.evaluate(sourceText);
    } catch (error) {
      throw new TypeError(textOf(error));
    }
    return carry(value, side, outer());
  }

  /**
   * The value of a module's export; the module is found from the working directory. Throws a TypeError for arguments that are wrong,
   * and rejects with one for everything else.
   */
  importValue(specifier: unknown, exportName: unknown): Promise<unknown> {
    const side = ShadowRealm.#sideOf(this);
    const text = `${specifier}`;
    if (typeof exportName !== "string") throw new TypeError("ShadowRealm.prototype.importValue expects a string");
    return this.#importValue(side, text, exportName);
  }

  async #importValue(side: InnerSide, specifier: string, exportName: string): Promise<unknown> {
    let namespace: Record<string, unknown>;
    try {
      namespace = await this.#modules.namespace(specifier, here());
    } catch (error) {
      throw new TypeError(textOf(error));
    }
    if (!Object.hasOwn(namespace, exportName)) {
      throw new TypeError(`the module '${specifier}' has no export '${exportName}'`);
    }
    return carry(namespace[exportName], side, outer());
  }
}
Object.defineProperty(ShadowRealm.prototype, Symbol.toStringTag, { value: "ShadowRealm", configurable: true });
