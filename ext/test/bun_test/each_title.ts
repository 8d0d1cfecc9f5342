// test.each and describe.each: rows of a table, and titles made of them.
// https://bun.com/docs/test/writing-tests#test-each, https://jestjs.io/docs/api#testeachtablename-fn-timeout

type Register = (title: string, fn: Function | undefined, options?: unknown) => unknown;

/** A value on one line, whatever it is. */
function oneLine(value: unknown): string {
  if (value instanceof Error) return `[${value.name}: ${value.message}]`;
  return require("bun/inspect")
    .inspect(value, { compact: true })
    .replace(/\s*\n\s*/g, " ");
}

/** `%x` for one argument. */
function formatOne(letter: string, value: unknown): string {
  switch (letter) {
    case "s":
      if (typeof value === "string") return value;
      if (typeof value === "function") {
        // Its text, as Jest has it, if that is one line.
        const source = Function.prototype.toString.call(value);
        return source.includes("\n") ? oneLine(value) : source;
      }
      if (typeof value === "object" && value !== null) return oneLine(value);
      return typeof value === "bigint" ? `${value}n` : Object.is(value, -0) ? "-0" : String(value);
    case "d":
      return typeof value === "bigint" ? `${value}n` : `${typeof value === "symbol" ? NaN : Number(value)}`;
    case "i":
      return typeof value === "bigint"
        ? `${value}n`
        : `${typeof value === "symbol" ? NaN : Number.parseInt(value as string, 10)}`;
    case "f":
      return `${typeof value === "symbol" ? NaN : Number.parseFloat(value as string)}`;
    case "j":
      try {
        return `${JSON.stringify(value)}`;
      } catch {
        return "[Circular]";
      }
    default:
      return oneLine(value);
  }
}

/** The value of `$a.b.c` in a row that is an object. */
function atPath(row: unknown, path: string): { found: boolean; value: unknown } {
  let value = row;
  for (const step of path.split(".")) {
    if (value === null || value === undefined || !(step in Object(value))) return { found: false, value: undefined };
    value = (value as Record<string, unknown>)[step];
  }
  return { found: true, value };
}

/** A value of `$name` as vitest shows it: texts in quotes, at most 40 characters. */
function quoted(value: unknown): string {
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  const shown: string = require("node:util").inspect(value, { compact: true, depth: 2, breakLength: Infinity });
  if (shown.length <= 40) return shown;
  if (typeof value === "string") return `'${shown.slice(1, 38)}…'`;
  if (Array.isArray(value)) return `[ Array(${value.length}) ]`;
  if (typeof value === "object" && value !== null) {
    const keys = Object.keys(value);
    const listed = keys.length > 2 ? `${keys.slice(0, 2).join(", ")}, ...` : keys.join(", ");
    return `{ Object (${listed}) }`;
  }
  return `${shown.slice(0, 39)}…`;
}

/** The title of the row at `index`: `%p %s %d %i %f %j %o %# %$ %%` take its arguments in turn, `$name` is a property of its first. */
export function formatTitle(title: string, args: unknown[], index: number, isVitest = false): string {
  let next = 0;
  let text = title.includes("%")
    ? title.replace(/%([psdifjoO#$%])/g, (whole, letter) => {
        if (letter === "%") return "%";
        if (letter === "#") return `${index}`;
        if (letter === "$") return `${index + 1}`;
        // An object as JSON, as in Bun.
        const form = letter === "o" && !isVitest ? "j" : letter;
        return next < args.length ? formatOne(form, args[next++]) : whole;
      })
    : title;
  const row = args[0];
  if (text.includes("$") && typeof row === "object" && row !== null) {
    text = text.replace(/\$([\w$#]+(?:\.[\w$]+)*)/g, (whole, path: string) => {
      if (path === "#") return `${index}`;
      const { found, value } = atPath(row, path);
      if (isVitest) return quoted(value);
      if (!found) return whole;
      return formatOne("s", value);
    });
  }
  return text;
}

/** Rows of a tagged template: `a | b` as headings, then the values. */
function tableOf(strings: readonly string[], values: unknown[]): [row: { [key: string]: unknown }][] {
  const headings = strings[0]!
    .trim()
    .split("\n")[0]!
    .split("|")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (headings.length === 0 || values.length % headings.length !== 0) {
    throw new Error(
      `.each table: ${values.length} values are not rows of ${headings.length} columns (${headings.join(" | ")})`,
    );
  }
  const rows: [row: { [key: string]: unknown }][] = [];
  for (let i = 0; i < values.length; i += headings.length) {
    const row: { [key: string]: unknown } = {};
    headings.forEach((name, at) => (row[name] = values[i + at]));
    rows.push([row]);
  }
  return rows;
}

/**
 * `test.each`: gives a function of a table that gives a function like `test`, which registers one test for each row. The
 * function of the test gets the row's values and, where it takes one more, what it is called with (`done`).
 */
export function makeEach(
  register: Register,
): (table: unknown, ...values: unknown[]) => (title: unknown, fn: unknown, options?: unknown) => void {
  return (table, ...values) => {
    if (
      table === null ||
      table === undefined ||
      typeof table !== "object" ||
      typeof (table as Partial<Iterable<unknown>>)[Symbol.iterator] !== "function"
    ) {
      throw new TypeError("Expected array");
    }
    const rows: unknown[] =
      Array.isArray(table) && Array.isArray((table as Partial<TemplateStringsArray>).raw)
        ? tableOf(table, values)
        : [...(table as Iterable<unknown>)];
    return (title, fn, options) => {
      const name = typeof title === "function" ? title.name : `${title}`;
      rows.forEach((row, index) => {
        const args = Array.isArray(row) ? row : [row];
        const bound = typeof fn !== "function" ? fn : withRow(fn, args);
        register(formatTitle(name, args, index), bound as Function | undefined, options);
      });
    };
  };
}

/** The function with its row; its length says whether it waits for a `done`. */
function withRow(fn: Function, args: unknown[]): Function {
  if (fn.length > args.length) {
    return function (this: unknown, done: unknown) {
      return fn.call(this, ...args, done);
    };
  }
  return function (this: unknown) {
    return fn.apply(this, args);
  };
}
