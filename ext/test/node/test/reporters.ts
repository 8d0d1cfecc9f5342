// node:test/reporters, https://nodejs.org/api/test.html#test-reporters

import type { EventData } from "internal/test/node_test/types";
import { formatters, tapLines } from "internal/test/node_test/report";

interface TestEvent {
  type: string;
  data: EventData;
}

function generator(name: string) {
  const make = formatters[name]!;
  const reporter = async function* (source: AsyncIterable<TestEvent>) {
    const format = make(process.stdout.isTTY === true);
    for await (const { type, data } of source) {
      const text = format(type, data);
      if (text !== "") yield text;
    }
  };
  Object.defineProperty(reporter, "name", { value: name });
  return reporter;
}

/** A class that needs no `new`. */
let spec: (() => InstanceType<ReturnType<typeof specClass>>) | undefined;
/** The report for people, as a Transform; may be called with or without `new`, as in Node. */
function specClass() {
  const { Transform } = require("node:stream");
  class SpecReporter extends Transform {
    #format = formatters.spec!(process.stdout.isTTY === true);
    constructor() {
      super({ __proto__: null, writableObjectMode: true });
    }

    _transform({ type, data }: TestEvent, _: unknown, done: Callback) {
      done(null, this.#format(type, data));
    }
  }
  return SpecReporter;
}

let lcov: InstanceType<BuiltinModules["node:stream"]["Transform"]> | undefined;
/** The coverage as a trace file; an instance, as in Node. */
function lcovReporter() {
  const { Transform } = require("node:stream");
  return new Transform({
    writableObjectMode: true,
    transform({ type, data }: TestEvent, _: unknown, done: Callback) {
      done(null, formatters.lcov!(false)(type, data));
    },
  });
}

/** TAP, line by line. */
async function* tap(source: AsyncIterable<TestEvent>) {
  const lines = tapLines();
  for await (const { type, data } of source) yield* lines(type, data);
}

const reporters = { dot: generator("dot"), junit: generator("junit"), tap };
Object.defineProperties(reporters, {
  spec: {
    __proto__: null,
    configurable: true,
    enumerable: true,
    get() {
      if (spec === undefined) {
        const Class = specClass();
        spec = function SpecReporter() {
          return new Class();
        };
        spec.prototype = Class.prototype;
      }
      return spec;
    },
  } as PropertyDescriptor,
  lcov: {
    __proto__: null,
    configurable: true,
    enumerable: true,
    get() {
      return (lcov ??= lcovReporter());
    },
  } as PropertyDescriptor,
});

export default reporters;
