// Filters of hooks of Rollup's plugins: patterns (https://rollupjs.org/plugin-development/#hook-filters) and Rolldown's expressions.
import path from "node:path";
import { notImplemented } from "bun/util";
import type { RollupPlugin } from "internal/bundle/rollup";

const { isAbsolute, join } = path;

/** What a filter says about one text. */
type Test = (text: string) => boolean;

/** What a hook is asked about, as far as filters look at it. */
export interface Question {
  id?: string | undefined;
  code?: string | undefined;
  moduleType?: string | undefined;
  /** Only for expressions. */
  importer?: string | undefined;
}

/** The parts of a question that patterns can be about. */
type Part = "id" | "code" | "moduleType";

/** The parts of `filter` that a hook may have. */
const filterParts: { [hook: string]: readonly Part[] } = {
  resolveId: ["id"],
  load: ["id"],
  transform: ["id", "code", "moduleType"],
  renderChunk: ["code"],
};

/** A glob of Rollup: one that is not absolute and does not begin with `**` starts at the working directory. */
function globOf(pattern: string): Test {
  const isWhole = pattern.startsWith("**") || isAbsolute(pattern);
  const whole = isWhole ? pattern : join(process.cwd().replace(/[\\*?!{}[\]()]/g, "\\$&"), pattern);
  const glob = new Bun.Glob(whole);
  return (text) => glob.match(text);
}

/** How the texts in each part of a filter are meant. */
const textTests: { [part in Part]: (pattern: string) => Test } = {
  id: globOf,
  code: (pattern) => (text) => text.includes(pattern),
  moduleType: (pattern) => (text) => text === pattern,
};

function testsOf(patterns: unknown, part: Part, what: string): Test[] {
  if (patterns === undefined || patterns === null) return [];
  return [patterns].flat().map((pattern: unknown): Test => {
    if (typeof pattern === "string") return textTests[part](pattern);
    if (!(pattern instanceof RegExp)) throw new TypeError(`${what} must be of strings and regular expressions`);
    return (text) => {
      pattern.lastIndex = 0;
      return pattern.test(text);
    };
  });
}

/** A part of a filter: a pattern, a list of them, or `{ include, exclude }`. */
function testOf(given: unknown, part: Part, what: string): Test {
  const isObject = typeof given === "object" && !Array.isArray(given) && !(given instanceof RegExp);
  const { include, exclude } = (isObject ? (given ?? {}) : { include: given }) as {
    include?: unknown;
    exclude?: unknown;
  };
  const included = testsOf(include, part, what);
  const excluded = testsOf(exclude, part, what);
  return (text) =>
    !excluded.some((test) => test(text)) && (included.length === 0 || included.some((test) => test(text)));
}

/** A test of a text by an expression's pattern: a text that it is or, `within`, that it contains, or a regular expression. */
function patternOf(pattern: unknown, what: string, within: boolean = false): Test {
  if (typeof pattern === "string") return (text) => (within ? text.includes(pattern) : text === pattern);
  if (!(pattern instanceof RegExp))
    throw new TypeError(`a pattern of ${what} must be a string or a regular expression`);
  return (text) => {
    pattern.lastIndex = 0;
    return pattern.test(text);
  };
}

/** A path without what follows a `?` or a `#`. */
const plainPath = (id: string) => id.replace(/[?#].*$/s, "");

/** The parameters of the query in an id. */
const parametersOf = (id: string) => new URLSearchParams(/\?[^#]*/.exec(id)?.[0] ?? "");

/** What an expression of a filter accepts (https://rolldown.rs/apis/plugin-api/hook-filters). Throws about what is none. */
function expressionOf(given: unknown, what: string): (question: Question) => boolean {
  const { kind, args, expr, pattern, params, key } = Object(given) as { [name: string]: unknown };
  switch (kind) {
    case "and":
    case "or": {
      const all = [args].flat().map((one) => expressionOf(one, what));
      return kind === "and"
        ? (question) => all.every((test) => test(question))
        : (question) => all.some((test) => test(question));
    }
    case "not": {
      const test = expressionOf(expr, what);
      return (question) => !test(question);
    }
    case "id":
    case "importerId": {
      const test = patternOf(pattern, what);
      const isPlain = (params as { cleanUrl?: unknown } | undefined)?.cleanUrl === true;
      return (question) => {
        const id = question[kind === "id" ? "id" : "importer"];
        return id !== undefined && test(isPlain ? plainPath(id) : id);
      };
    }
    case "moduleType":
    case "code": {
      const test = patternOf(pattern, what, kind === "code");
      return (question) => test(question[kind] ?? "");
    }
    case "query": {
      const name = String(key);
      if (typeof pattern === "boolean") return ({ id = "" }) => parametersOf(id).has(name) === pattern;
      const test = patternOf(pattern, what);
      return ({ id = "" }) => {
        const value = parametersOf(id).get(name);
        return value === null ? pattern instanceof RegExp && test("") : test(value);
      };
    }
    default:
      throw new TypeError(`an expression of ${what} is of the kind "${String(kind)}", which there is not`);
  }
}

/** What a list of `include` and `exclude` accepts: the first that says something decides. */
function expressionsOf(list: readonly unknown[], what: string): (question: Question) => boolean {
  const all = list.map((given) => {
    const { kind, expr } = Object(given) as { kind?: unknown; expr?: unknown };
    if (kind !== "include" && kind !== "exclude") throw new TypeError(`${what} must be of include() and exclude()`);
    return { includes: kind === "include", test: expressionOf(expr, what) };
  });
  const hasInclude = all.some(({ includes }) => includes);
  return (question) => all.find(({ test }) => test(question))?.includes ?? !hasInclude;
}

/**
 * What the filter of a hook accepts (https://rollupjs.org/plugin-development/#hook-filters). Throws about parts that bao does not
 * know.
 */
export function acceptanceOf(plugin: RollupPlugin, hook: string): (question: Question) => boolean {
  const value = plugin[hook];
  const filter = typeof value === "object" && value !== null ? (value as { filter?: unknown }).filter : undefined;
  if (filter === undefined || filter === null) return () => true;
  const what = `the filter of the hook "${hook}" of the plugin "${plugin.name}"`;
  if (Array.isArray(filter)) return expressionsOf(filter, what);
  if (typeof filter !== "object") throw new TypeError(`${what} must be an object`);
  const tests = Object.entries(filter).map(([name, given]) => {
    const part = filterParts[hook]?.find((known) => known === name);
    if (part === undefined) throw notImplemented(`"${name}" in ${what}`);
    return [part, testOf(given, part, `"${name}" in ${what}`)] as const;
  });
  return (question) => tests.every(([part, test]) => test(question[part] ?? ""));
}
