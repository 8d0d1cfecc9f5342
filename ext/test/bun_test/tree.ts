// The tests of a file as they are declared: describe blocks, tests, hooks; and the functions that declare them
// (https://bun.com/docs/test/writing-tests).

import type { Fixtures, RowBound } from "internal/test/bun_test/fixtures";
import type { FileRun } from "internal/test/bun_test/run";
import type { TestContext } from "internal/test/bun_test/vitest_context";
import { runner } from "internal/test/bun_test/state";

/** What becomes of a test; a describe block's applies to all that is below it. */
export const NORMAL = 0;
const SKIP = 1;
export const TODO = 2;
export const FAILING = 3;
/** Its name does not match `-t`. */
export const FILTERED = 4;

const NAMES = ["", ".skip", ".todo", ".failing", ".filtered_out"];

/** Whether `only` was said of a node, or of one below it. */
const NOT_ONLY = 0;
const HAS_ONLY = 1;
export const ONLY = 2;

/** What functions of tests are called with: nothing, what says that they are done, a description of the test. */
const NOTHING = 0;
const DONE = 1;
const CONTEXT = 2;

/** Blocks within one another: beyond this it is a recursion without end. */
const DEEPEST = 1000;

type HookName = "beforeAll" | "beforeEach" | "afterEach" | "afterAll";

/** A describe block, or a file. */
export class Scope {
  declare parent: Scope | null;
  declare name: string | undefined;
  declare mode: number;
  declare concurrent: boolean;
  declare only: number;
  declare line: number;
  /** How many blocks are around it. */
  declare depth: number;
  declare shuffled: boolean;
  /** Whether there is a test below that has something to run: only then its hooks run. */
  runs = false;
  /** Its function threw: the tests in it do not run. */
  failed = false;
  entries: (Scope | Entry)[] = [];
  beforeAll: Entry[] | undefined = undefined;
  beforeEach: Entry[] | undefined = undefined;
  afterEach: Entry[] | undefined = undefined;
  afterAll: Entry[] | undefined = undefined;
  /** Hooks of this block and those around it, in the order in which they run; made when the first test asks. */
  before: Entry[] | undefined = undefined;
  after: Entry[] | undefined = undefined;
  /** Its name with those around it, as it is printed. */
  shown: string | undefined = undefined;
  /** Of `test.override`, see fixtures.ts. */
  overrides: Fixtures | undefined = undefined;

  constructor(parent: Scope | null, name: string | undefined, config: Config, line: number) {
    this.parent = parent;
    this.depth = parent === null ? 0 : parent.depth + 1;
    this.name = name;
    this.mode = parent !== null && parent.mode !== NORMAL ? parent.mode : config.mode;
    this.concurrent = config.concurrent ?? (parent !== null && parent.concurrent);
    this.only = config.only ? ONLY : NOT_ONLY;
    this.shuffled = config.shuffled ?? (parent !== null && parent.shuffled);
    this.line = line;
  }
}

/** A test, or a hook. There may be many, so what they share is kept once: what was said of them, and their options. */
export class Entry {
  declare parent: Scope | null;
  declare name: string | undefined;
  declare mode: number;
  declare callback: Function | undefined;
  declare config: Config;
  declare options: Options;
  /** What its function is called with. */
  declare argument: number;
  declare line: number;

  constructor(
    parent: Scope | null,
    name: string | undefined,
    config: Config,
    callback: Function | undefined,
    options: Options,
    hasDone: boolean,
    line: number,
  ) {
    this.parent = parent;
    this.name = name;
    const mode = parent !== null && parent.mode !== NORMAL ? parent.mode : config.mode;
    this.mode = mode;
    this.callback = mode === SKIP || mode === FILTERED || (mode === TODO && !runner.config.todo) ? undefined : callback;
    this.config = config;
    this.options = options;
    this.argument = config.context || (hasDone && destructures(callback!)) ? CONTEXT : hasDone ? DONE : NOTHING;
    if (line !== 0) this.line = line;
  }

  get concurrent(): boolean {
    return this.config.concurrent ?? (this.parent !== null && this.parent.concurrent);
  }

  get only(): number {
    return this.config.only ? ONLY : NOT_ONLY;
  }

  /** Milliseconds, 0: no limit. */
  get timeout(): number {
    return this.options.timeout;
  }

  get retry(): number {
    return this.options.retry;
  }

  get repeats(): number {
    return this.options.repeats;
  }

  /** Whether the function takes a callback that says when it is done. */
  get hasDone(): boolean {
    return this.argument === DONE;
  }

  /** Whether it takes a description of the test, as vitest's do. */
  get takesContext(): boolean {
    return this.argument === CONTEXT;
  }

  /** Of `test.extend`, see fixtures.ts. */
  get fixtures(): Fixtures | undefined {
    return this.config.fixtures;
  }
}
Entry.prototype.line = 0;

/** Whether a function takes its first argument apart: that is vitest's description of the test, not a callback. */
function destructures(callback: Function): boolean {
  return /^(?:async\b)?\s*(?:function\b\s*[\w$]*)?\s*\(\s*\{/.test(Function.prototype.toString.call(callback));
}

/** What the words between `test` and its call say. */
interface Config {
  mode: number;
  concurrent: boolean | undefined;
  only: boolean;
  /** Declared by vitest's functions. */
  context: boolean;
  fixtures?: Fixtures | undefined;
  /** Of a describe block: its tests run in random order. */
  shuffled?: boolean;
}

/** A test of `test.for`. */
type RowTest = (row: unknown, context: TestContext) => unknown;

interface Options {
  timeout: number;
  retry: number;
  repeats: number;
}

const PLAIN: Config = { mode: NORMAL, concurrent: undefined, only: false, context: false };
const VITEST: Config = { ...PLAIN, context: true };

function hasOnly(scope: Scope | null): void {
  for (; scope !== null && scope.only !== HAS_ONLY; scope = scope.parent) scope.only = HAS_ONLY;
}

function willRun(scope: Scope | null): void {
  for (; scope !== null && !scope.runs; scope = scope.parent) scope.runs = true;
}

/** Whether `entry` of `scope` is left out because others say `only`. */
export function isLeftOut(scope: Scope, entry: Scope | Entry): boolean {
  return scope.only === HAS_ONLY && entry.only === NOT_ONLY;
}

/** The file that runs, for a function that declares something. */
function activeFile(signature: string): FileRun {
  if (!runner.active)
    throw new Error(`Cannot use ${signature} outside of the test runner. Run "bun test" to run tests.`);
  if (runner.inPreload) throw new Error(`Cannot use ${signature} during preload.`);
  if (runner.file === undefined) throw new Error(`Cannot use ${signature} outside of a test file.`);
  return runner.file;
}

/** Line of the file that declares something, where a reporter wants it. */
function lineOf(): number {
  return runner.wantsLines ? (native("inspect").currentStack(1)[0]?.[2] ?? 0) : 0;
}

function titleOf(value: unknown, signature: string): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (typeof value === "function" && value.name !== "") return String(value.name);
  throw new Error(`${signature}() expects first argument to be a named class, named function, number, or string`);
}

const isCallable = (value: unknown): value is Function => typeof value === "function";

/** Title, function and options in any of the orders that exist. */
function readArguments(a: unknown, b: unknown, c: unknown, signature: string, needsFunction: boolean) {
  let title: unknown;
  let callback: Function | undefined;
  let options: unknown;
  if (c !== undefined && c !== null) {
    title = a;
    if (isCallable(b)) [callback, options] = [b, c];
    else [callback, options] = [c as Function, b];
  } else if (b !== undefined && b !== null) {
    title = a;
    callback = b as Function;
  } else if (isCallable(a)) callback = a;
  else title = a;
  if (callback === undefined || callback === null) {
    if (needsFunction) throw new Error(`${signature} expects a function as the second argument`);
    callback = undefined;
  } else if (!isCallable(callback)) throw new Error(`${signature} expects a function as the second argument`);
  const found: Options = { timeout: runner.defaultTimeout, retry: runner.config.retry ?? 0, repeats: 0 };
  if (typeof options === "number") found.timeout = options;
  else if (isCallable(options))
    throw new Error(`${signature}() expects options to be a number or object, not a function`);
  else if (typeof options === "object" && options !== null) readOptions(options, found, signature);
  else if (options !== undefined && options !== null) {
    throw new Error(`${signature}() expects a number, object, or undefined as the third argument`);
  }
  found.timeout = limit(found.timeout);
  return {
    title: title === undefined || title === null ? undefined : titleOf(title, signature),
    callback,
    options: found,
  };
}

function readOptions(given: Partial<Options>, found: Options, signature: string): void {
  for (const name of ["timeout", "retry", "repeats"] as const) {
    const value = given[name];
    if (value === undefined || value === null) continue;
    if (typeof value !== "number") throw new Error(`${signature}() expects ${name} to be a number`);
    found[name] = value;
  }
  if (given.retry! > 0 && given.repeats! > 0) throw new Error(`${signature}(): Cannot set both retry and repeats`);
  // The more the count of a retry, or of repeats, is no whole number, the less it means.
  found.retry = Math.max(0, Math.floor(found.retry) || 0);
  found.repeats = Math.max(0, Math.floor(found.repeats) || 0);
}

/** A timeout as a timer takes it; 0 (and what no timer can wait for) is none. */
function limit(milliseconds: number): number {
  if (!(milliseconds > 0)) return 0;
  return milliseconds > 2147483647 ? 0 : Math.floor(milliseconds);
}

function signatureOf(kind: string, config: Config, hasTable: boolean): string {
  const order = config.concurrent === true ? ".concurrent" : config.concurrent === false ? ".serial" : "";
  return `${kind}${order}${NAMES[config.mode]}${config.only ? ".only" : ""}${hasTable ? ".each()" : ""}`;
}

let usualOptions: Options = { timeout: 0, retry: 0, repeats: 0 };

/** Options of a test that names none; not to be changed. */
function usual(): Options {
  const timeout = limit(runner.defaultTimeout);
  const retry = runner.config.retry ?? 0;
  if (usualOptions.timeout !== timeout || usualOptions.retry !== retry) usualOptions = { timeout, retry, repeats: 0 };
  return usualOptions;
}

/** What a call of a scope function declares. */
function declare(
  kind: Kind,
  config: Config,
  title: string | undefined,
  callback: Function | undefined,
  options: Options,
  hasDone: boolean,
): void {
  const file = runner.file!;
  if (file.phase !== 0) {
    const signature = signatureOf(kind, config, false);
    throw new Error(
      file.phase === 1
        ? `Cannot call ${signature}() inside a test. Call it inside describe() instead.`
        : `Cannot call ${signature}() after the test run has completed`,
    );
  }
  const parent: Scope = file.scope;
  if (file.concurrent && config.concurrent === undefined) config = { ...config, concurrent: true };
  const line = lineOf();
  if (kind === "describe") {
    if (parent.depth >= DEEPEST) throw new Error(`blocks are nested more than ${DEEPEST} deep`);
    const scope = new Scope(parent, title, config, line);
    parent.entries.push(scope);
    if (scope.only !== NOT_ONLY) hasOnly(parent);
    if (callback !== undefined) file.declared.push(scope, callback);
    return;
  }
  const { filter } = runner;
  if (filter !== undefined && !filter.test(fullName(title, parent))) config = { ...config, mode: FILTERED };
  const entry = new Entry(parent, title, config, callback, options, hasDone, line);
  parent.entries.push(entry);
  if (entry.only !== NOT_ONLY) hasOnly(parent);
  if (entry.callback !== undefined) willRun(parent);
}

/** The names of the blocks around a test and its own, joined by spaces. */
export function fullName(title: string | undefined, parent: Scope | null): string {
  let name = title ?? "";
  for (; parent !== null; parent = parent.parent) if (parent.name !== undefined) name = `${parent.name} ${name}`;
  return name;
}

const kKind = Symbol("kind");
const kConfig = Symbol("config");
const kTable = Symbol("table");

type Kind = "test" | "describe";

/** `test`, `describe`, and what the words after them give. */
interface Declarer {
  (a?: unknown, b?: unknown, c?: unknown): void;
  [kKind]: Kind;
  [kConfig]: Config;
  [kTable]: unknown[] | undefined;
  readonly skip: Declarer;
  readonly todo: Declarer;
  readonly only: Declarer;
}

function make(kind: Kind, config: Config, table?: unknown[]): Declarer {
  const needsFunction = config.mode !== SKIP && config.mode !== TODO;
  const made = function (a?: unknown, b?: unknown, c?: unknown) {
    if (
      typeof a === "string" &&
      typeof b === "function" &&
      c === undefined &&
      table === undefined &&
      runner.file !== undefined &&
      !runner.inPreload
    ) {
      declare(kind, config, a, b, usual(), b.length > 0 && kind === "test");
      return;
    }
    activeFile(signatureOf(kind, config, table !== undefined));
    const { title, callback, options } = readArguments(
      a,
      b,
      c,
      signatureOf(kind, config, table !== undefined),
      needsFunction,
    );
    if (table === undefined) {
      declare(kind, config, title, callback, options, kind === "test" && callback !== undefined && callback.length > 0);
      return;
    }
    const { formatTitle } = require("internal/test/bun_test/each_title");
    let index = 0;
    for (const row of table) {
      // An empty list among values that are no lists is one of them, as for Jest.
      const values =
        Array.isArray(row) && (row.length > 0 || config.context || table.every(Array.isArray)) ? row : [row];
      const shown = title === undefined ? undefined : formatTitle(title, values, index, config.context);
      const bound = callback === undefined ? undefined : callback.bind(row, ...values);
      declare(
        kind,
        config,
        shown,
        bound,
        options,
        kind === "test" && bound !== undefined && callback!.length > values.length,
      );
      index++;
    }
  } as Declarer;
  made[kKind] = kind;
  made[kConfig] = config;
  made[kTable] = table;
  Object.defineProperty(made, "name", { value: kind });
  return Object.setPrototypeOf(made, modifiers);
}

/** Functions made by words after `test` and `describe`, by their description. */
const known = new Map<string, Declarer>();

function extended(from: Declarer, change: Partial<Config>, word: string): Declarer {
  const { [kKind]: kind, [kConfig]: config, [kTable]: table } = from;
  const refuse = () => new Error(`Cannot get .${word} on ${signatureOf(kind, config, table !== undefined)}`);
  if (change.mode === FAILING && kind === "describe") throw refuse();
  if (change.mode !== undefined && config.mode !== NORMAL) throw refuse();
  if (change.concurrent !== undefined && config.concurrent !== undefined) throw refuse();
  if (change.only === true) {
    if (config.only) throw refuse();
    if (runner.active && runner.isCI) {
      throw new Error(
        ".only is disabled in CI environments to prevent accidentally skipping tests. To override, set the environment variable CI=false.",
      );
    }
  }
  const next = { ...config, ...change };
  if (table !== undefined || next.fixtures !== undefined) return make(kind, next, table);
  const key = `${next.context ? "vitest " : ""}${next.shuffled ? "shuffled " : ""}${signatureOf(kind, next, false)}`;
  let found = known.get(key);
  if (found === undefined) known.set(key, (found = make(kind, next)));
  return found;
}

/** The words that are functions. */
const modifiers: Record<string, (this: Declarer, ...args: never[]) => unknown> = Object.create(Function.prototype);

function modifier(word: string, change: Partial<Config>): void {
  Object.defineProperty(modifiers, word, {
    configurable: true,
    enumerable: true,
    get() {
      return extended(this, change, word);
    },
  });
}

/** `wanted`: the value of the condition with which the change applies. */
function condition(word: string, change: Partial<Config>, wanted: boolean): void {
  modifiers[word] = function (...args: unknown[]) {
    if (args.length === 0) throw new Error("Expected condition to be a boolean");
    return Boolean(args[0]) === wanted ? extended(this, change, word) : this;
  };
}

modifier("skip", { mode: SKIP });
modifier("todo", { mode: TODO });
modifier("failing", { mode: FAILING });
modifier("concurrent", { concurrent: true });
modifier("serial", { concurrent: false });
modifier("only", { only: true });
condition("if", { mode: SKIP }, false);
condition("skipIf", { mode: SKIP }, true);
condition("todoIf", { mode: TODO }, true);
condition("failingIf", { mode: FAILING }, true);
condition("concurrentIf", { concurrent: true }, true);
condition("serialIf", { concurrent: false }, true);
// vitest's word for skipIf(!condition), and jest's for test.failing and test.concurrent.
condition("runIf", { mode: SKIP }, false);

modifiers.each = function each(table: unknown, ...values: unknown[]) {
  const { [kKind]: kind, [kConfig]: config, [kTable]: former } = this;
  if (former !== undefined) throw new Error(`Cannot each on ${signatureOf(kind, config, true)}`);
  if (Array.isArray(table) && Object.hasOwn(table, "raw")) {
    const each = require("internal/test/bun_test/each_title").makeEach(make(kind, config));
    return each(table, ...values);
  }
  if (!Array.isArray(table)) throw new Error(`Expected array, got ${require("bun/inspect").inspect(table)}`);
  return make(kind, config, table);
};

// vitest's words for failing and serial.
modifier("fails", { mode: FAILING });
modifier("sequential", { concurrent: false });

/** vitest's each: rows are not spread, and the test gets its description after the row. */
modifiers.for = function (table: unknown) {
  const { [kKind]: kind, [kConfig]: config } = this;
  if (!Array.isArray(table)) throw new Error(`Expected array, got ${require("bun/inspect").inspect(table)}`);
  const declareOne = make(kind, config);
  return (title: unknown, a?: unknown, b?: unknown) => {
    const [callback, options] = (typeof a === "function" ? [a, b] : [b, a]) as [RowTest | undefined, unknown];
    const { formatTitle } = require("internal/test/bun_test/each_title");
    for (const [index, row] of table.entries()) {
      const shown = formatTitle(String(title), Array.isArray(row) ? row : [row], index, true);
      let bound: (((context: TestContext) => unknown) & Partial<RowBound>) | undefined;
      if (callback !== undefined) {
        bound = (context: TestContext) => callback(row, context);
        if (config.fixtures !== undefined) bound[require("internal/test/bun_test/fixtures").kRow] = [callback, 1];
      }
      declareOne(shown, bound, options);
    }
  };
};

/** vitest's test.extend: a function like `test` whose tests can ask for the fixtures in their context. */
modifiers.extend = function (...args: unknown[]) {
  const { [kKind]: kind, [kConfig]: config } = this;
  if (kind !== "test") throw new Error("Cannot get .extend on describe");
  const { extendFixtures, overrideFixtures } = require("internal/test/bun_test/fixtures");
  const fixtures = extendFixtures(config.fixtures, args);
  const extended = make("test", { ...config, context: true, fixtures });
  const override = (...given: unknown[]) => {
    overrideFixtures(activeFile("test.override()").scope, fixtures, given);
    return extended;
  };
  Object.assign(extended, {
    override,
    scoped: override,
    describe: vitestDescribe,
    suite: vitestDescribe,
    beforeAll: hook("beforeAll", true),
    beforeEach: hook("beforeEach", true),
    afterEach: hook("afterEach", true),
    afterAll: hook("afterAll", true),
  });
  return extended;
};

// vitest's describe.shuffle: the tests of the block, and those of blocks in it, in random order.
Object.defineProperty(modifiers, "shuffle", {
  configurable: true,
  enumerable: true,
  get() {
    const { [kKind]: kind } = this;
    if (kind !== "describe") throw new Error("Cannot get .shuffle on test");
    return extended(this, { shuffled: true }, "shuffle");
  },
});

export const test = make("test", PLAIN);
export const describe = make("describe", PLAIN);
/** What `vitest` exports. */
export const vitestTest = make("test", VITEST);
export const vitestDescribe = make("describe", VITEST);
known.set("test", test);
known.set("describe", describe);
export const xtest = test.skip;
export const xdescribe = describe.skip;

/** `beforeAll` and the like. */
export function hook(name: HookName, context = false) {
  const config = context ? VITEST : PLAIN;
  const made = function (a?: unknown, b?: unknown) {
    const signature = `${name}()`;
    if (!runner.active)
      throw new Error(`Cannot use ${signature} outside of the test runner. Run "bun test" to run tests.`);
    if (!isCallable(a)) throw new Error(`${signature} expects a function as the first argument`);
    const options: Options = { timeout: runner.defaultTimeout, retry: 0, repeats: 0 };
    if (typeof b === "number") options.timeout = b;
    else if (typeof b === "object" && b !== null) readOptions(b, options, name);
    options.timeout = limit(options.timeout);
    const file = runner.inPreload ? undefined : runner.file;
    if (file === undefined) {
      if (!runner.inPreload) throw new Error(`Cannot use ${signature} outside of a test file.`);
      addHook(runner.hooks!, name, new Entry(null, undefined, config, a, options, a.length > 0, 0));
      return;
    }
    if (file.phase === 0)
      return addHook(file.scope, name, new Entry(file.scope, undefined, config, a, options, a.length > 0, 0));
    if (file.phase === 2) throw new Error(`Cannot call ${signature} after the test run has completed`);
    if (name === "beforeAll" || name === "beforeEach") {
      throw new Error(`Cannot call ${signature} inside a test. Call it inside describe() instead.`);
    }
    const sequence = file.currentSequence();
    if (sequence === undefined) {
      throw new Error(
        `Cannot call ${signature} here. It cannot be called inside a concurrent test. Call it inside describe() instead.`,
      );
    }
    sequence.addAfter(new Entry(null, undefined, config, a, options, a.length > 0, 0));
  };
  Object.defineProperty(made, "name", { value: name });
  return made;
}

function addHook(scope: Scope, name: HookName, entry: Entry): void {
  if (scope[name] === undefined) scope[name] = [];
  scope[name].push(entry);
  scope.before = scope.after = undefined;
}

/** A function to be called when the test that runs has ended, after its hooks. */
export function onTestFinished(callback: unknown, options?: number | { timeout?: number } | null): void {
  if (!runner.active)
    throw new Error('Cannot use onTestFinished() outside of the test runner. Run "bun test" to run tests.');
  if (!isCallable(callback)) throw new Error("onTestFinished() expects a function as the second argument");
  const file = runner.file;
  if (file === undefined || file.phase !== 1) throw new Error("Cannot call onTestFinished() outside of a test.");
  const sequence = file.currentSequence();
  if (sequence === undefined || sequence.entry === undefined) {
    throw new Error(
      "Cannot call onTestFinished() here. It cannot be called inside a concurrent test. Use test.serial or remove test.concurrent.",
    );
  }
  const timeout = limit(typeof options === "number" ? options : (options?.timeout ?? runner.defaultTimeout));
  sequence.addLast(
    new Entry(null, undefined, PLAIN, callback, { timeout, retry: 0, repeats: 0 }, callback.length > 0, 0),
  );
}

/** Limit of the tests declared from now on that name none; milliseconds, 0: none. */
export function setDefaultTimeout(milliseconds: unknown): void {
  if (typeof milliseconds !== "number") throw new TypeError("setTimeout() expects a number (milliseconds)");
  runner.defaultTimeout = Math.max(0, milliseconds);
}
