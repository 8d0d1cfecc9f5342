/** From a tagged template to a statement with placeholders: values, identifiers, nested fragments, and helpers for rows and lists. */

import type { Dialect } from "internal/sql/adapter";
import { arrayText, typeName } from "internal/sql/array";

/** `sql(object)`, `sql(array)`: rows for INSERT, assignments for UPDATE, a list for IN. */
export class SQLHelper {
  readonly value: unknown[];
  readonly columns: PropertyKey[];
  constructor(value: unknown, columns: readonly unknown[]) {
    for (const key of columns) {
      if (typeof key !== "string" && typeof key !== "number") {
        throw new Error(`Keys must be strings or numbers: ${String(key)}`);
      }
    }
    this.value = Array.isArray(value) ? value : [value];
    const [row] = this.value;
    const isRow = typeof row === "object" && row !== null && !ArrayBuffer.isView(row);
    if (columns.length > 0) this.columns = columns as PropertyKey[];
    else this.columns = isRow && !(row instanceof Date) && !Array.isArray(row) ? Object.keys(row) : [];
  }
}

/** `sql.array(values, type)`: a list as one value of PostgreSQL. */
export class SQLArrayParameter {
  readonly serializedValues: string;
  readonly arrayType: string | undefined;
  constructor(values: unknown, type: unknown) {
    this.arrayType = typeName(type);
    this.serializedValues = arrayText(values, this.arrayType);
  }
  toString(): string {
    return this.serializedValues;
  }
  toJSON(): string {
    return this.serializedValues;
  }
}

/** `sql.json(value)`: a value that is sent as JSON, whatever it is. */
export class SQLJSONParameter {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
  toJSON(): unknown {
    return this.value;
  }
}

/** What a query is made of; queries are parts of other queries. */
export interface Fragment {
  readonly strings: readonly string[] | string;
  readonly values: readonly unknown[];
  /** `sql("name")` is an identifier, `sql.unsafe(text)` a text as it is, and a template has values. */
  readonly kind: "template" | "identifier" | "text";
}

/** The fragment of a query; undefined for every other value. */
type FragmentOf = (value: unknown) => Fragment | undefined;

interface Statement {
  text: string;
  values: unknown[];
}

export interface Context {
  dialect: Dialect;
  fragmentOf: FragmentOf;
  columnTo: ((name: string) => string) | undefined;
}

/** Texts of templates that have plain values only, by the template's strings and the kind of placeholder. */
const plain = new WeakMap<readonly string[], Map<Dialect, string>>();

const isSpecial = (value: unknown): boolean => typeof value === "object" && value !== null;

/** Throws SyntaxError for helpers where they mean nothing. */
export function compile(fragment: Fragment, context: Context): Statement {
  const { strings, values, kind } = fragment;
  const { dialect } = context;
  if (kind === "text") return { text: strings as string, values: values as unknown[] };
  if (typeof strings === "string") return { text: strings, values: values as unknown[] };
  let isPlain = true;
  for (const value of values) {
    if (!isSpecial(value)) continue;
    if (value instanceof SQLHelper || value instanceof SQLArrayParameter || context.fragmentOf(value) !== undefined) {
      isPlain = false;
      break;
    }
  }
  if (!isPlain) {
    const builder = new Builder(context);
    builder.add(fragment);
    return { text: builder.text, values: builder.values };
  }
  if (values.length === 0 && strings.length === 1) return { text: strings[0]!, values: [] };
  let texts = plain.get(strings);
  if (texts === undefined) plain.set(strings, (texts = new Map()));
  let text = texts.get(dialect);
  if (text === undefined) {
    text = strings[0]!;
    for (let i = 1; i < strings.length; i++) text += dialect.placeholder(i) + strings[i]!;
    texts.set(dialect, text);
  }
  return { text, values: values as unknown[] };
}

const misused = (): SyntaxError => new SyntaxError("Helpers are only allowed for INSERT, UPDATE and IN commands");

class Builder {
  text = "";
  values: unknown[] = [];
  #context: Context;
  constructor(context: Context) {
    this.#context = context;
  }

  add({ strings, values, kind }: Fragment): void {
    if (typeof strings === "string") {
      if (kind === "identifier") this.text += this.#context.dialect.identifier(this.#column(strings));
      else if (values.length > 0) throw new SyntaxError("A text with parameters cannot be a part of a query");
      else this.text += strings;
      return;
    }
    for (let i = 0; i < strings.length; i++) {
      this.text += strings[i]!;
      if (i < values.length) this.#addValue(values[i]);
    }
  }

  #column(name: string): string {
    const { columnTo } = this.#context;
    return columnTo === undefined ? name : columnTo(name);
  }

  #addValue(value: unknown): void {
    if (isSpecial(value)) {
      if (value instanceof SQLHelper) return this.#helper(value);
      if (value instanceof SQLArrayParameter) {
        this.#bind(value.serializedValues);
        if (value.arrayType !== undefined) this.text += `::${value.arrayType}[]`;
        return;
      }
      const fragment = this.#context.fragmentOf(value);
      if (fragment !== undefined) return this.add(fragment);
    }
    this.#bind(value);
  }

  #bind(value: unknown): void {
    this.values.push(value);
    this.text += this.#context.dialect.placeholder(this.values.length);
  }

  #item(value: unknown): void {
    this.#addValue(value === undefined ? null : value);
  }

  #names(columns: readonly PropertyKey[]): string {
    return columns.map((name) => this.#context.dialect.identifier(this.#column(String(name)))).join(", ");
  }

  #helper(helper: SQLHelper): void {
    switch (commandOf(this.text)) {
      case "insert":
        return this.#insert(helper);
      case "update":
        this.text += "SET ";
        return this.#set(helper);
      case "set":
        return this.#set(helper);
      case "in":
        return this.#in(helper);
      default:
        throw misused();
    }
  }

  #insert({ value: rows, columns }: SQLHelper): void {
    if (columns.length === 0) throw new SyntaxError("Cannot INSERT with no columns");
    // A column that no row has takes its default.
    const used = columns.filter((name) =>
      rows.some((row) => (row as Record<PropertyKey, unknown>)?.[name] !== undefined),
    );
    if (used.length === 0) throw new SyntaxError("Insert needs to have at least one column with a defined value");
    this.text += `(${this.#names(used)}) VALUES`;
    for (let i = 0; i < rows.length; i++) {
      this.text += i === 0 ? "(" : ", (";
      const row = rows[i] as Record<PropertyKey, unknown>;
      for (let j = 0; j < used.length; j++) {
        if (j > 0) this.text += ", ";
        this.#item(row?.[used[j]!]);
      }
      this.text += ")";
    }
    this.text += " ";
  }

  #set({ value: rows, columns }: SQLHelper): void {
    if (rows.length > 1) throw new SyntaxError("Cannot use array of objects for UPDATE");
    const row = (rows[0] ?? {}) as Record<PropertyKey, unknown>;
    const used = columns.filter((name) => row[name] !== undefined);
    if (used.length === 0) throw new SyntaxError("Update needs to have at least one column");
    for (let i = 0; i < used.length; i++) {
      if (i > 0) this.text += ", ";
      this.text += `${this.#names([used[i]!])} = `;
      this.#addValue(row[used[i]!]);
    }
    this.text += " ";
  }

  #in({ value: items, columns }: SQLHelper): void {
    if (columns.length > 1) throw new SyntaxError("Cannot use WHERE IN helper with multiple columns");
    const [name] = columns;
    this.text += "(";
    // Nothing is in an empty list.
    if (items.length === 0) this.text += "NULL";
    for (let i = 0; i < items.length; i++) {
      if (i > 0) this.text += ", ";
      this.#item(name === undefined ? items[i] : (items[i] as Record<PropertyKey, unknown>)?.[name]);
    }
    this.text += ") ";
  }
}

/** What is no word of the statement: comments, strings, names in quotes. */
const NO_WORDS = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\$\d+/g;

/** What a helper means after this text: decided by the last word that says it. */
function commandOf(text: string): string | undefined {
  const words =
    text
      .replace(NO_WORDS, " x ")
      .toLowerCase()
      .match(/[a-z_][a-z0-9_]*|[(),;=]/g) ?? [];
  let isWhere = false;
  for (let i = words.length - 1; i >= 0; i--) {
    switch (words[i]) {
      case "in":
        // Only directly before the list.
        if (i === words.length - 1) return "in";
        break;
      case "where":
      case "select":
      case "from":
      case "delete":
        isWhere = true;
        break;
      case "set":
        return isWhere ? undefined : "set";
      case "update":
        // INSERT ... ON DUPLICATE KEY UPDATE has assignments without SET.
        if (words[i - 1] === "key") return "set";
        return isWhere ? undefined : "update";
      case "insert":
      case "into":
      case "replace":
        return isWhere ? undefined : "insert";
      default:
    }
  }
  return undefined;
}
