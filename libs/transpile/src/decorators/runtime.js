// Applies the decorators of one class, as the TC39 proposal has it (2023-11, with decorator metadata).
//
// Class: the class before its static elements run. Records: one array per decorated element, in source order:
//   [flags, name, decorators]                                       public element
//   [flags, "#name", decorators, has, get, set]                     private field
//   [flags, "#name", decorators, has, get, set, symbol]             private method, getter, setter: its function is
//                                                                   the public property `symbol`, removed here
//   [flags, "#name", decorators, has, get, set, getter, setter]     private accessor
// flags: kind (field, accessor, method, getter, setter) + 8 if static + 16 if private.
// decorators: receiver and function in turn.
//
// Returns [decorate the class, run initialisers of instance methods, of static methods, ...], then for each record
// what the lowered class calls: field: initial value, initialisers; private method: function; private accessor:
// initial value, initialisers, getter, setter.
// Decorating the class takes its decorators and its name, and returns [class, run its initialisers]. It is a step of
// its own because class decorators may make instances already. With `plain`, the class has no decorators.
function __apply(Class, records, plain) {
  const kinds = ["field", "accessor", "method", "getter", "setter", "class"];
  const metadataKey = Symbol.metadata || Symbol.for("Symbol.metadata");
  const metadata = Object.create(Object.getPrototypeOf(Class)[metadataKey] ?? null);
  const { defineProperty, getOwnPropertyDescriptor } = Object;
  const callable = (value, what) => {
    if (typeof value !== "function") throw new TypeError(what + " must be a function");
    return value;
  };
  const runner = (list) => (self) => {
    for (let i = 0; i < list.length; i++) list[i].call(self);
  };
  const call = (decorators, index, value, context, initializers) => {
    let finished = false;
    context.addInitializer = (initializer) => {
      if (finished) throw new TypeError("addInitializer must not be called after the decorator has returned");
      initializers.push(callable(initializer, "An initializer"));
    };
    const decorator = callable(decorators[index + 1], "A decorator");
    const result = decorator.call(decorators[index], value, context);
    finished = true;
    return result;
  };
  const classInitializers = [], instanceInitializers = [], staticInitializers = [];
  const results = [];

  const element = (record) => {
    const [flags, name, decorators, has, get, set, first, second] = record;
    const kind = flags & 7, isStatic = (flags & 8) !== 0, isPrivate = (flags & 16) !== 0;
    const target = isStatic ? Class : Class.prototype;
    const own = kind < 2;
    const initializers = own ? [] : isStatic ? staticInitializers : instanceInitializers;
    const values = [];
    const slot = kind === 3 ? "get" : kind === 4 ? "set" : "value";
    const rename = (fn, prefix) => defineProperty(fn, "name", { value: prefix + name, configurable: true });
    let descriptor;
    if (kind === 1 && isPrivate) {
      descriptor = { get: rename(first, "get "), set: rename(second, "set ") };
    } else if (kind > 0) {
      descriptor = getOwnPropertyDescriptor(target, isPrivate ? first : name);
      if (isPrivate) {
        delete target[first];
        rename(descriptor[slot], kind === 2 ? "" : slot + " ");
      }
    }
    const access = isPrivate
      ? { has, get, set }
      : { has: (o) => name in o, get: (o) => o[name], set: (o, value) => { o[name] = value; } };
    if (kind === 4) delete access.get;
    if (kind === 2 || kind === 3) delete access.set;
    for (let i = decorators.length - 2; i >= 0; i -= 2) {
      const context = {
        kind: kinds[kind], name, metadata, addInitializer: undefined,
        static: isStatic, private: isPrivate, access: { ...access },
      };
      const value = kind === 0 ? undefined
        : kind === 1 ? { get: descriptor.get, set: descriptor.set } : descriptor[slot];
      const result = call(decorators, i, value, context, initializers);
      if (result === undefined) continue;
      if (kind === 0) {
        values.unshift(callable(result, "The result of a field decorator"));
      } else if (kind === 1) {
        if (typeof result !== "object" || result === null)
          throw new TypeError("The result of an accessor decorator must be an object");
        const { get, set, init } = result;
        if (get !== undefined) descriptor.get = callable(get, "get of an accessor decorator");
        if (set !== undefined) descriptor.set = callable(set, "set of an accessor decorator");
        if (init !== undefined) values.unshift(callable(init, "init of an accessor decorator"));
      } else {
        descriptor[slot] = callable(result, "The result of a " + kinds[kind] + " decorator");
      }
    }
    if (!isPrivate && kind > 0) defineProperty(target, name, descriptor);
    if (own) {
      const initial = (self, value) => {
        for (let i = 0; i < values.length; i++) value = values[i].call(self, value);
        return value;
      };
      const outputs = [initial, runner(initializers)];
      return isPrivate && kind === 1 ? [...outputs, descriptor.get, descriptor.set] : outputs;
    }
    return isPrivate ? [descriptor[slot]] : [];
  };

  for (const [isStatic, isField] of [[8, false], [0, false], [8, true], [0, true]]) {
    for (let i = 0; i < records.length; i++) {
      const flags = records[i][0];
      if ((flags & 8) === isStatic && ((flags & 7) === 0) === isField) results[i] = element(records[i]);
    }
  }
  const finish = (classDecorators, className) => {
    for (let i = classDecorators.length - 2; i >= 0; i -= 2) {
      const context = { kind: "class", name: className, metadata, addInitializer: undefined };
      const result = call(classDecorators, i, Class, context, classInitializers);
      if (result !== undefined) Class = callable(result, "The result of a class decorator");
    }
    defineProperty(Class, metadataKey, { value: metadata, writable: true, enumerable: true, configurable: true });
    return [Class, runner(classInitializers)];
  };
  if (plain) finish([]);
  return [finish, runner(instanceInitializers), runner(staticInitializers), ...results.flat()];
}
