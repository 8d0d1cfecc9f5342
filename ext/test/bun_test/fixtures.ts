// Fixtures of vitest's `test.extend`: what a test asks for by taking its context apart is made before it, and taken down after
// its hooks. https://vitest.dev/guide/test-context#extend-test-context
import type { Sequence } from "internal/test/bun_test/sequence";
import type { Scope as Block } from "internal/test/bun_test/tree";
import type { TestContext } from "internal/test/bun_test/vitest_context";
import { cleanup } from "internal/test/bun_test/vitest_context";

type Scope = "test" | "file" | "worker";

/** One fixture; `base` is the one of the same name that it stands in front of. */
interface Fixture {
  name: string;
  /** With `isFunction` what makes the value. */
  value: unknown;
  isFunction: boolean;
  /** `extend(name, function)`: its result is the value, and cleaning up is registered. */
  gives: boolean;
  auto: boolean;
  scope: Scope;
  base: Fixture | undefined;
  uses: string[];
}

type Maker = (context: TestContext, use: unknown) => unknown;

export type Fixtures = Map<string, Fixture>;

/** Splits a text at commas that are in no bracket, string or comment. */
function splitAtCommas(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  for (let at = 0; at < text.length; at++) {
    const c = text[at]!;
    if (c === '"' || c === "'" || c === "`") {
      const start = at++;
      while (at < text.length && text[at] !== c) at += text[at] === "\\" ? 2 : 1;
      part += text.slice(start, at + 1);
      continue;
    }
    if (c === "/" && text[at + 1] === "*") {
      at = text.indexOf("*/", at) + 1;
      continue;
    }
    if (c === "/" && text[at + 1] === "/") {
      at = text.indexOf("\n", at);
      if (at < 0) break;
      continue;
    }
    if (c === "(" || c === "[" || c === "{") depth++;
    else if (c === ")" || c === "]" || c === "}") {
      // The end of the list that was begun before the text.
      if (depth-- === 0) break;
    }
    if (c === "," && depth === 0) {
      parts.push(part.trim());
      part = "";
    } else part += c;
  }
  if (part.trim() !== "") parts.push(part.trim());
  return parts;
}

/** The names that a function takes out of its parameter number `index`; undefined where it does not take it apart. */
function usesOf(callback: Function, index: number): string[] | undefined {
  const text = Function.prototype.toString.call(callback);
  const start = /^(?:async\b)?\s*(?:function\b\s*\*?\s*[\w$]*|(?:async\b)?\s*\*?[\w$]+|\[[^\]]*\])?\s*\(/.exec(text);
  if (start === null) return undefined;
  const parameter = splitAtCommas(text.slice(start[0].length))[index];
  if (parameter === undefined || !parameter.startsWith("{")) return undefined;
  const names: string[] = [];
  for (const item of splitAtCommas(parameter.slice(1))) {
    if (item.startsWith("...")) {
      throw new Error(`Rest parameters are not supported in fixtures: "${item}"`);
    }
    names.push(/^["'[]?([\w$]+)/.exec(item)?.[1] ?? item);
  }
  return names;
}

const scopes = new Set(["test", "file", "worker"]);

function makeFixture(
  name: string,
  value: unknown,
  options: Partial<Pick<Fixture, "scope" | "auto">> | undefined,
  base: Fixture | undefined,
  gives: boolean,
): Fixture {
  const scope = options?.scope ?? base?.scope ?? "test";
  if (!scopes.has(scope))
    throw new Error(`The scope of the fixture "${name}" is none of test, file and worker: ${String(scope)}`);
  const isFunction = typeof value === "function";
  const uses = isFunction ? usesOf(value, 0) : [];
  // An underscore or nothing in place of a pattern asks for nothing.
  if (
    uses === undefined &&
    (value as Function).length > 0 &&
    !/^(?:async\b)?\s*(?:function\b[^(]*)?\(?\s*_/.test(Function.prototype.toString.call(value))
  ) {
    throw new Error(
      `The first argument inside a fixture must use object destructuring pattern, e.g. ({ test } => {}). It is that of "${name}".`,
    );
  }
  return { name, value, isFunction, gives, auto: options?.auto ?? base?.auto ?? false, scope, base, uses: uses ?? [] };
}

/** The fixtures of `test.extend(more)` or `test.extend(name, options?, value)`, on top of those there are. */
export function extendFixtures(before: Fixtures | undefined, args: unknown[]): Fixtures {
  const fixtures: Fixtures = new Map(before);
  const add = (name: string, value: unknown, options: unknown, gives: boolean) => {
    fixtures.set(name, makeFixture(name, value, options as Partial<Fixture> | undefined, fixtures.get(name), gives));
  };
  if (typeof args[0] === "string") {
    const [name, a, b] = args as [string, unknown, unknown];
    if (args.length > 2) add(name, b, a, typeof b === "function");
    else add(name, a, undefined, typeof a === "function");
    return fixtures;
  }
  if (typeof args[0] !== "object" || args[0] === null)
    throw new TypeError("test.extend() expects an object of fixtures, or a name and a value");
  for (const [name, given] of Object.entries(args[0] as { [name: string]: unknown })) {
    const hasOptions =
      Array.isArray(given) &&
      given.length === 2 &&
      typeof given[1] === "object" &&
      given[1] !== null &&
      ["auto", "scope", "injected"].some((word) => word in given[1]);
    add(name, hasOptions ? given[0] : given, hasOptions ? given[1] : undefined, false);
  }
  return fixtures;
}

/** A fixture that was set up: its value, and how to take it down. */
interface Ready {
  value: unknown;
  end: (() => unknown) | undefined;
}

/** What is set up for a test, or a file, in the order in which it was done. */
interface Room {
  ready: Map<Fixture, Promise<Ready>>;
  order: Ready[];
}

/** By the context of a test, and by the FileRun for what lives longer. */
const rooms = new WeakMap<object, Room>();

function roomOf(owner: object, register: (end: () => unknown) => void): Room {
  let room = rooms.get(owner);
  if (room === undefined) {
    rooms.set(owner, (room = { ready: new Map(), order: [] }));
    const { order } = room;
    register(async () => {
      const problems: unknown[] = [];
      for (const one of order.splice(0).reverse()) {
        try {
          await one.end?.();
        } catch (error) {
          problems.push(error);
        }
      }
      rooms.delete(owner);
      if (problems.length > 0) throw problems[0];
    });
  }
  return room;
}

async function setUp(fixture: Fixture, context: TestContext): Promise<Ready> {
  if (!fixture.isFunction) return { value: fixture.value, end: undefined };
  if (fixture.gives) {
    const ends: (() => unknown)[] = [];
    const value = await (fixture.value as Maker)(context, { onCleanup: (end: () => unknown) => void ends.push(end) });
    return {
      value,
      end: async () => {
        for (const end of ends.reverse()) await end();
      },
    };
  }
  let release!: () => void;
  let isUsed = false;
  const over = new Promise<void>((resolve) => (release = resolve));
  return new Promise<Ready>((resolve, reject) => {
    let running: Promise<unknown>;
    const use = (value: unknown) => {
      isUsed = true;
      resolve({ value, end: () => (release(), running) });
      return over;
    };
    running = Promise.resolve().then(() => (fixture.value as Maker)(context, use));
    running.then(() => {
      if (!isUsed) reject(new Error(`Fixture "${fixture.name}" has ended without calling use()`));
    }, reject);
  });
}

/** The value of a fixture for a test, which is made where it is not there yet. */
async function valueOf(
  fixture: Fixture,
  fixtures: Fixtures,
  overrides: Fixtures | undefined,
  sequence: Sequence,
  context: TestContext,
  path: Fixture[],
): Promise<unknown> {
  if (path.includes(fixture)) {
    throw new Error(`Circular fixture dependency detected: ${[...path, fixture].map((one) => one.name).join(" <- ")}`);
  }
  const isOfTest = fixture.scope === "test";
  const room = isOfTest
    ? roomOf(context, (end) => sequence.addLast(cleanup(end)))
    : roomOf(sequence.file, (end) => sequence.file.addCleanup(cleanup(end)));
  let ready = room.ready.get(fixture);
  if (ready === undefined) {
    ready = (async () => {
      const own: TestContext = isOfTest ? Object.create(context) : {};
      for (const name of fixture.uses) {
        const other = name === fixture.name ? fixture.base : (overrides?.get(name) ?? fixtures.get(name));
        if (other === undefined) continue;
        if (!isOfTest && other.scope === "test" && other.isFunction) {
          throw new Error(
            `Fixture "${fixture.name}" of the scope "${fixture.scope}" cannot use "${name}", which is made for each test`,
          );
        }
        own[name] = await valueOf(other, fixtures, overrides, sequence, context, [...path, fixture]);
      }
      const made = await setUp(fixture, own);
      room.order.push(made);
      return made;
    })();
    room.ready.set(fixture, ready);
  }
  return (await ready).value;
}

/** Fixtures that `test.override` put in place of others, by the blocks around a test. */
function overridesOf(scope: Block | null): Fixtures | undefined {
  let found: Fixtures | undefined;
  for (let at = scope; at !== null && at !== undefined; at = at.parent) {
    if (at.overrides === undefined) continue;
    found ??= new Map();
    for (const [name, fixture] of at.overrides) if (!found.has(name)) found.set(name, fixture);
  }
  return found;
}

/** Calls a test, or a hook of one, with the fixtures that it takes out of its context. */
export function callWithFixtures(
  fixtures: Fixtures,
  callback: Function,
  sequence: Sequence,
  context: TestContext,
): unknown {
  const overrides = overridesOf(sequence.scope);
  const bound: [Function, number] = (callback as Partial<RowBound>)[kRow] ?? [callback, 0];
  const uses = usesOf(bound[0], bound[1]) ?? [];
  const wanted: Fixture[] = [];
  for (const fixture of fixtures.values()) {
    if (fixture.auto || uses.includes(fixture.name)) wanted.push(overrides?.get(fixture.name) ?? fixture);
  }
  if (wanted.length === 0) return callback(context);
  return (async () => {
    for (const fixture of wanted) {
      context[fixture.name] = await valueOf(fixture, fixtures, overrides, sequence, context, []);
    }
    return callback(context);
  })();
}

/** On functions that were bound to a row of a table: the function, and which of its parameters is the context. */
export const kRow = Symbol("row");

export interface RowBound {
  [kRow]: [callback: Function, parameter: number];
}

/** `test.override(...)` in a block. */
export function overrideFixtures(scope: Block, fixtures: Fixtures, args: unknown[]): void {
  const around = overridesOf(scope);
  const given = typeof args[0] === "string" ? { [args[0]]: args.length > 2 ? args[2] : args[1] } : args[0];
  for (const [name, value] of Object.entries(given as { [name: string]: unknown })) {
    const base = around?.get(name) ?? fixtures.get(name);
    if (base === undefined) throw new Error(`There is no fixture "${name}" to override`);
    (scope.overrides ??= new Map()).set(
      name,
      makeFixture(name, value, undefined, base, typeof args[0] === "string" && typeof value === "function"),
    );
  }
}
