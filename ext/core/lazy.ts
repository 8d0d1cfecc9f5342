// Exports of built-in modules whose values are loaded when somebody reads them.

const { defineProperty, getOwnPropertyDescriptor } = Object;

/**
 * Gives `target` a property whose value comes from `load` at the first read.
 *
 * To a program it is what it is in Node, a plain property: it can be set, an heir of `target` gets one of its own by setting
 * it (`class Sub extends Module {}; Sub.builtinModules = []`), and after the first read it is a data property.
 */
export function lazyProperty(target: object, name: string, load: () => unknown, enumerable = true): void {
  const get = () => {
    const value = load();
    // Not where a program has put its own there, and calls a getter that it took before; nor if it froze the object.
    const current = getOwnPropertyDescriptor(target, name);
    if (current?.get === get && current.configurable)
      defineProperty(target, name, { value, writable: true, enumerable, configurable: true });
    return value;
  };
  defineProperty(target, name, {
    get,
    set(this: object, value: unknown) {
      const visible = this === target ? enumerable : true;
      defineProperty(this, name, { value, writable: true, enumerable: visible, configurable: true });
    },
    enumerable,
    configurable: true,
  });
}

/** Several such properties, whose values have the same names in what `load` gives. */
export function lazyProperties<M extends object>(target: object, load: () => M, names: readonly (keyof M & string)[]) {
  for (const name of names) lazyProperty(target, name, () => load()[name]);
}
