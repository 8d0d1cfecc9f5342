// What callbacks of node:fs get: shapes of results, and what util.promisify() makes of several.

import type { Done } from "internal/fs/types";
import { asResource } from "internal/events/async_context";
import { checkCallback } from "internal/fs/utils";

const { defineProperty } = Object;

/** A callback, whatever the types of its parameters are. */
export type Callback = Done<unknown[]>;

// The callback, which is that of a resource while async ids are tracked.
function checked<A extends unknown[]>(callback: Done<A> | undefined): Done<A> {
  checkCallback(callback);
  return asResource(callback!, "FSREQCALLBACK") as Done<A>;
}

/** For results that nobody sees: the callback gets null or the error, and nothing else. */
export function plain(callback: Done | undefined): Callback {
  callback = checked(callback);
  return (error) => (error ? callback!(error) : callback!(null));
}

/** For a result as the native function gives it. */
export function passing(callback: Callback | undefined): Callback {
  callback = checked(callback);
  return (error, value) => (error ? callback!(error) : callback!(null, value));
}

/** For a result that is made out of what the native function gives. */
export function converting<T>(callback: Callback | undefined, convert: (value: T) => unknown): Native.Callback<T> {
  callback = checked(callback);
  return (error, value) => {
    if (error) {
      callback!(error);
      return;
    }
    try {
      value = convert(value) as T;
    } catch (failure) {
      callback!(failure as NodeError);
      return;
    }
    callback!(null, value);
  };
}

/** util.promisify() of `fn` gives an object with these names where the callback has several results. */
export function promisifiedNames(fn: (...values: never[]) => void, names: string[]): void {
  const custom = Symbol.for("nodejs.util.promisify.custom");
  let promisified: unknown;
  defineProperty(fn, custom, {
    __proto__: null,
    get() {
      return (promisified ??= function (this: unknown, ...args: unknown[]) {
        return new Promise((resolve, reject) => {
          Reflect.apply(fn, this, [
            ...args,
            (error: unknown, ...values: unknown[]) => {
              if (error) {
                reject(error);
                return;
              }
              const result: { [key: string]: unknown } = {};
              for (let i = 0; i < names.length; i++) result[names[i]!] = values[i];
              resolve(result);
            },
          ]);
        });
      });
    },
    set(value: unknown) {
      promisified = value;
    },
    enumerable: false,
    configurable: true,
  } as PropertyDescriptor);
}
