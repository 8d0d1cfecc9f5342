/** bun:sqlite (https://bun.com/docs/runtime/sqlite). */
import { own } from "internal/events/async_context";
import { isAnyArrayBuffer, isArrayBufferView } from "internal/buffer/base";
import { constants } from "internal/sqlite/bun_constants";
import {
  type Callable,
  BIG_INTEGERS,
  SQLITE_DELETE,
  SQLITE_DETERMINISTIC,
  SQLITE_DIRECTONLY,
  SQLITE_INSERT,
  SQLITE_UPDATE,
  STRICT_NAMES,
} from "internal/sqlite/constants";
import { type TransactionFunction, makeTransaction } from "internal/sqlite/transaction";
import { fileControl } from "internal/sqlite/file_control";

const ops = native("sqlite");
const { defineProperty } = Object;

type Row = unknown;

/** What `run` gives. */
interface Changes {
  changes: number | bigint;
  lastInsertRowid: number | bigint;
}

interface DatabaseOptions {
  readonly?: boolean;
  create?: boolean;
  readwrite?: boolean;
  safeIntegers?: boolean;
  strict?: boolean;
}

interface FunctionOptions {
  deterministic?: boolean;
  directOnly?: boolean;
  safeIntegers?: boolean;
  varargs?: boolean;
}

interface AggregateOptions extends FunctionOptions {
  start?: unknown;
  step: Callable;
  inverse?: Callable;
  result?: Callable;
}

/** What a hook is called with beside the database. */
type UpdateHook = (database: Database, table: string, rowid: number | bigint, schema: string) => void;

/** Names of SQLite's fundamental types by their numbers. */
const TYPE_NAMES = ["", "INTEGER", "FLOAT", "TEXT", "BLOB", "NULL"];

/**
 * The rows of one run, one by one. It does what a generator would, in code that the engine compiles: nothing runs before the first step,
 * and what fails ends it.
 */
class RowIterator extends Iterator<Row> {
  #raw: Native.Statement;
  #parameters: unknown[] | undefined;
  /** The number of the run; undefined before it has begun, and once it has ended. */
  #run: number | undefined = undefined;

  constructor(raw: Native.Statement, parameters: unknown[]) {
    super();
    this.#raw = raw;
    this.#parameters = parameters;
  }

  next(): IteratorResult<Row> {
    if (this.#run === undefined && !this.#begin()) return { value: undefined, done: true };
    let row: unknown;
    try {
      row = ops.next(this.#raw, this.#run!);
    } catch (error) {
      this.#end();
      throw error;
    }
    if (row) return { value: row as Row, done: false };
    this.#end();
    if (row === undefined) return { value: undefined, done: true };
    throw new Error(
      "This iterator was invalidated: its statement was run again. Use db.prepare() to get a statement with a cursor of its own.",
    );
  }

  return(value?: unknown): IteratorResult<Row> {
    this.#end();
    return { value, done: true };
  }

  throw(error: unknown): IteratorResult<Row> {
    this.#end();
    throw error;
  }

  /** Begins the run; false where it has ended. */
  #begin(): boolean {
    const parameters = this.#parameters;
    if (parameters === undefined) return false;
    this.#parameters = undefined;
    this.#run = ops.start(this.#raw, parameters);
    return true;
  }

  #end(): void {
    const run = this.#run;
    this.#run = this.#parameters = undefined;
    if (run !== undefined) ops.end(this.#raw, run);
  }
}

class Statement {
  #raw: Native.Statement;
  /** Whether the text has columns: fixed when it is prepared. */
  get: (...parameters: unknown[]) => Row | null;
  all: (...parameters: unknown[]) => Row[];
  iterate: (...parameters: unknown[]) => IterableIterator<Row>;
  values: (...parameters: unknown[]) => unknown[][];
  raw: (...parameters: unknown[]) => (Uint8Array | null)[][];
  run: (...parameters: unknown[]) => Changes;

  constructor(raw: unknown) {
    // Only what `prepare` made is a native statement: anything else is refused by the first op.
    this.#raw = raw as Native.Statement;
    ops.parameterCount(this.#raw);
    this.get = this.#get;
    this.all = this.#all;
    this.iterate = this.#iterate;
    this.values = this.#values;
    this.raw = this.#bytes;
    this.run = this.#run;
  }

  get isFinalized() {
    return ops.isFinalized(this.#raw);
  }

  toJSON() {
    return {
      sql: this.toString(),
      isFinalized: this.isFinalized,
      paramsCount: this.paramsCount,
      columnNames: this.columnNames,
    };
  }

  get [Symbol.toStringTag]() {
    return `"${this.toString()}"`;
  }

  toString(): string {
    return ops.isFinalized(this.#raw) ? "" : ops.source(this.#raw, true);
  }

  /** What Bun's native half shows of a statement. */
  get native() {
    return new NativeStatement(this);
  }

  safeIntegers(on?: unknown) {
    if (on === undefined) return ops.readsBigIntegers(this.#raw);
    ops.setFlag(this.#raw, BIG_INTEGERS, !!on);
    return this;
  }

  as(Class?: unknown) {
    if (Class === undefined) {
      ops.setPrototype(this.#raw, undefined);
      return this;
    }
    if (typeof Class !== "function") throw new TypeError("Expected class to be a constructor or undefined");
    const { prototype } = Class as { prototype: unknown };
    if (prototype === undefined) throw new TypeError("Expected a constructor");
    if (typeof prototype !== "object" || prototype === null) {
      throw new TypeError("Expected a constructor prototype to be an object");
    }
    ops.setPrototype(this.#raw, prototype);
    return this;
  }

  #get(...parameters: unknown[]): Row | null {
    return ops.get(this.#raw, parameters, 0) ?? null;
  }

  #all(...parameters: unknown[]): Row[] {
    return ops.all(this.#raw, parameters, 0);
  }

  #iterate(...parameters: unknown[]): IterableIterator<Row> {
    return new RowIterator(this.#raw, parameters);
  }

  #values(...parameters: unknown[]): unknown[][] {
    return ops.all(this.#raw, parameters, 1) as unknown[][];
  }

  #bytes(...parameters: unknown[]): (Uint8Array | null)[][] {
    return ops.all(this.#raw, parameters, 2) as (Uint8Array | null)[][];
  }

  #run(...parameters: unknown[]): Changes {
    return ops.run(this.#raw, parameters);
  }

  get columnNames(): string[] {
    return ops.columnNames(this.#raw);
  }

  /** Types of the values in the first row. */
  get columnTypes(): string[] {
    if (!ops.isReadOnly(this.#raw)) {
      throw new Error("columnTypes is not available for non-read-only statements (INSERT, UPDATE, DELETE, etc.)");
    }
    return ops.firstTypes(this.#raw).map((type) => TYPE_NAMES[type]!);
  }

  get declaredTypes(): (string | null)[] {
    const origins = ops.columnOrigins(this.#raw);
    if (!ops.hasRun(this.#raw)) throw new Error("Statement must be executed before accessing declaredTypes");
    return origins.map((origin) => origin[4] ?? null);
  }

  get paramsCount(): number {
    return ops.parameterCount(this.#raw);
  }

  get reader(): boolean {
    return ops.columnCount(this.#raw) > 0;
  }

  get readonly(): boolean {
    return ops.isReadOnly(this.#raw);
  }

  finalize(): void {
    ops.finalize(this.#raw);
  }

  [Symbol.iterator]() {
    return this.#iterate();
  }

  [Symbol.dispose](): void {
    if (!this.isFinalized) this.finalize();
  }
}

/** `statement.native`: the statement under the names of Bun's native half. */
class NativeStatement {
  #statement: Statement;

  constructor(statement: Statement) {
    this.#statement = statement;
  }

  get columns() {
    return this.#statement.columnNames;
  }
  get columnsCount() {
    return this.#statement.columnNames.length;
  }
  get paramsCount() {
    return this.#statement.paramsCount;
  }
  get columnTypes() {
    return this.#statement.columnTypes;
  }
  get declaredTypes() {
    return this.#statement.declaredTypes;
  }
  get isFinalized() {
    return this.#statement.isFinalized;
  }
  get readonly() {
    return this.#statement.readonly;
  }
  get safeIntegers() {
    return this.#statement.safeIntegers() as boolean;
  }
  set safeIntegers(on: boolean) {
    this.#statement.safeIntegers(on);
  }
  get(parameters: unknown[] = []) {
    return this.#statement.get(...parameters);
  }
  all(parameters: unknown[] = []) {
    return this.#statement.all(...parameters);
  }
  values(parameters: unknown[] = []) {
    return this.#statement.values(...parameters);
  }
  raw(parameters: unknown[] = []) {
    return this.#statement.raw(...parameters);
  }
  as(Class?: unknown) {
    this.#statement.as(Class);
  }
  finalize() {
    this.#statement.finalize();
  }
  toString() {
    return this.#statement.toString();
  }
}

const cachedCount = Symbol.for("Bun.Database.cache.count");
/** Longer texts are not kept. */
const MAX_CACHED_LENGTH = 65536;

/** An option that is a boolean if it is given. */
function booleanOption(options: object, name: string, fallback = false): boolean {
  const value = (options as Record<string, unknown>)[name];
  if (value === undefined) return fallback;
  if (typeof value !== "boolean") throw new TypeError(`Expected the "${name}" option to be a boolean`);
  return value;
}

function functionOption(options: object, name: string): Callable | undefined {
  const value = (options as Record<string, unknown>)[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "function") throw new TypeError(`Expected the "${name}" option to be a function`);
  return value as Callable;
}

function functionFlags(options: object): number {
  return (
    (booleanOption(options, "deterministic") ? SQLITE_DETERMINISTIC : 0) |
    (booleanOption(options, "directOnly") ? SQLITE_DIRECTONLY : 0)
  );
}

/** The number of arguments that a function asks for; SQLite's most. */
function parameterCount(callback: Callable): number {
  const { length } = callback;
  if (!Number.isInteger(length) || length < 0) throw new TypeError("Expected function.length to be a positive integer");
  if (length > 1000) throw new RangeError("User-defined functions cannot have more than 1000 arguments");
  return length;
}

function functionName(name: unknown, options: unknown, isRequired: boolean): asserts name is string {
  if (typeof name !== "string") throw new TypeError("Expected first argument to be a string");
  if (typeof options !== "object" || (isRequired && options === null)) {
    throw new TypeError("Expected second argument to be an options object");
  }
  if (name === "") throw new TypeError("User-defined function name cannot be an empty string");
}

/** Flags of sqlite3_open_v2. */
function openFlags(options: DatabaseOptions | number | undefined): number {
  if (typeof options === "number") return options;
  const both = constants.SQLITE_OPEN_READWRITE | constants.SQLITE_OPEN_CREATE;
  if (typeof options !== "object" || options === null) return both;
  if ("readOnly" in options) throw new TypeError('Misspelled option "readOnly" should be "readonly"');
  const { readonly, create, readwrite } = options;
  if (readonly || (readwrite !== undefined && !readwrite)) {
    if (create || readwrite) {
      throw new TypeError(
        'A read-only database ("readonly: true" or "readwrite: false") cannot have "create: true" or "readwrite: true"',
      );
    }
    return constants.SQLITE_OPEN_READONLY;
  }
  return !create && (create !== undefined || readwrite) ? constants.SQLITE_OPEN_READWRITE : both;
}

class Database {
  declare filename: string;
  #handle: Native.Connection;
  /** Flags of statements. */
  #flags = 0;
  /** Statements by their text, the one that was used last at the end. */
  #cache = new Map<string, Statement>();
  /** Hooks by operation. */
  #hooks: Map<number, UpdateHook> | undefined;

  static MAX_QUERY_CACHE_SIZE = 20;

  constructor(filename?: unknown, options?: DatabaseOptions | number) {
    own(this as Database, (database) => database.close());
    if (typeof options === "object" && options !== null) {
      if (options.safeIntegers) this.#flags |= BIG_INTEGERS;
      if (options.strict) this.#flags |= STRICT_NAMES;
    }
    if (isArrayBufferView(filename)) {
      if (filename.byteLength === 0) throw new Error("ArrayBuffer must not be empty");
      const isReadOnly = typeof options === "object" && options !== null && !!options.readonly;
      this.#handle = ops.deserialize(filename, isReadOnly, false);
      this.filename = ":memory:";
      return;
    }
    if (filename !== undefined && typeof filename !== "string") {
      throw new TypeError(`Expected 'filename' to be a string, got '${typeof filename}'`);
    }
    const name = filename === undefined ? ":memory:" : filename.trim();
    const flags = openFlags(options);
    const isAnonymous = name === "" || name === ":memory:";
    if (isAnonymous && (flags & constants.SQLITE_OPEN_READONLY) !== 0) {
      throw new Error("Cannot open an anonymous database in read-only mode.");
    }
    this.#handle = ops.open(isAnonymous ? ":memory:" : name, flags, false);
    this.filename = name;
  }

  static open(filename?: string, options?: DatabaseOptions | number) {
    return new Database(filename, options);
  }

  static deserialize(serialized: unknown, options: unknown = false) {
    const bytes = isAnyArrayBuffer(serialized) ? new Uint8Array(serialized as ArrayBuffer) : serialized;
    if (!isArrayBufferView(bytes)) {
      throw new TypeError(`Expected 'serialized' to be a TypedArray or ArrayBuffer, got '${typeof serialized}'`);
    }
    if (typeof options === "boolean") return new Database(bytes, { readonly: options });
    return new Database(bytes, typeof options === "object" && options !== null ? options : 0);
  }

  /** SQLite is part of the executable, so another library cannot take its place. */
  static setCustomSQLite(path: unknown) {
    if (typeof path !== "string") throw new Error("Expected SQLite path");
    return false;
  }

  get handle(): number {
    return ops.handleNumber(this.#handle);
  }

  get inTransaction(): boolean {
    return ops.inTransaction(this.#handle);
  }

  loadExtension(name: unknown, entryPoint?: unknown): void {
    this.#needOpen();
    if (typeof name !== "string" || (entryPoint !== undefined && typeof entryPoint !== "string")) {
      throw new TypeError("Expected string");
    }
    const failure = ops.loadExtension(this.#handle, name, entryPoint);
    if (failure !== undefined) throw new Error(failure);
  }

  #needOpen(): void {
    if (!ops.isOpen(this.#handle)) throw new Error("Can't do this on a closed database");
  }

  serialize(schema?: unknown): Buffer {
    this.#needOpen();
    const bytes = ops.serialize(this.#handle, schema ? String(schema) : "main");
    if (bytes === undefined) throw new Error("Out of memory");
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  fileControl(...given: [unknown, unknown?, unknown?]): number | undefined {
    if (!ops.isOpen(this.#handle)) return undefined;
    const hasSchema = typeof given[0] === "string" || given.length > 2;
    const schema = hasSchema ? given[0] : undefined;
    return fileControl(this.#handle, schema, given[hasSchema ? 1 : 0], given[hasSchema ? 2 : 1]);
  }

  close(throwOnError: unknown = false): void {
    void throwOnError;
    this.#cache.clear();
    ops.close(this.#handle);
  }

  clearQueryCache(): void {
    for (const statement of this.#cache.values()) statement.finalize();
    this.#cache.clear();
  }

  run(query: unknown, ...parameters: unknown[]): Changes {
    if (!ops.isOpen(this.#handle)) throw new Error("Database has closed");
    if (typeof query !== "string") throw new Error("Expected SQL string");
    if (query === "") throw new Error("SQL string mustn't be blank");
    const changes = ops.exec(this.#handle, query, parameters, this.#flags);
    if (changes === undefined) throw new Error("Query contained no valid SQL statement; likely empty query.");
    return changes;
  }

  function(name: unknown, options: unknown, callback?: unknown) {
    if (typeof options === "function") {
      callback = options;
      options = undefined;
    }
    options ??= {};
    if (typeof name !== "string") throw new TypeError("Expected first argument to be a string");
    if (typeof callback !== "function") throw new TypeError("Expected last argument to be a function");
    functionName(name, options, false);
    const given = options as FunctionOptions;
    const big = booleanOption(given, "safeIntegers", (this.#flags & BIG_INTEGERS) !== 0);
    const flags = functionFlags(given);
    const count = booleanOption(given, "varargs") ? -1 : parameterCount(callback as Callable);
    ops.defineFunction(this.#handle, name, count, flags, big, callback);
    return this;
  }

  aggregate(name: unknown, options: AggregateOptions) {
    functionName(name, options, true);
    const { start } = options;
    const step = functionOption(options, "step");
    if (step === undefined) throw new TypeError('Missing required option "step"');
    const inverse = functionOption(options, "inverse");
    const result = functionOption(options, "result");
    const big = booleanOption(options, "safeIntegers", (this.#flags & BIG_INTEGERS) !== 0);
    const flags = functionFlags(options);
    const most = Math.max(parameterCount(step), inverse === undefined ? 0 : parameterCount(inverse), 1) - 1;
    const count = booleanOption(options, "varargs") ? -1 : most;
    ops.defineFunction(this.#handle, name, count, flags, big, [start ?? null, step, inverse, result]);
    return this;
  }

  get onInsert() {
    return this.#hooks?.get(SQLITE_INSERT) ?? null;
  }
  set onInsert(hook) {
    this.#setHook(SQLITE_INSERT, hook);
  }
  get onUpdate() {
    return this.#hooks?.get(SQLITE_UPDATE) ?? null;
  }
  set onUpdate(hook) {
    this.#setHook(SQLITE_UPDATE, hook);
  }
  get onDelete() {
    return this.#hooks?.get(SQLITE_DELETE) ?? null;
  }
  set onDelete(hook) {
    this.#setHook(SQLITE_DELETE, hook);
  }

  #setHook(operation: number, hook: unknown): void {
    if (hook !== null && hook !== undefined && typeof hook !== "function") {
      throw new TypeError("Expected a function or null");
    }
    const hooks = (this.#hooks ??= new Map());
    if (hook) hooks.set(operation, hook as UpdateHook);
    else hooks.delete(operation);
    ops.setUpdateHook(this.#handle, hooks.size === 0 ? undefined : (...change) => this.#changed(...change));
  }

  /** Calls the hook of a change. What it throws is an uncaught error: the change is made, and the statement goes on. */
  #changed(operation: number, table: string, rowid: bigint, schema: string): void {
    const hook = this.#hooks?.get(operation);
    if (hook === undefined) return;
    try {
      hook.call(this, this, table, (this.#flags & BIG_INTEGERS) !== 0 ? rowid : Number(rowid), schema);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  prepare(query: unknown, parameters?: unknown, flags = 0): Statement {
    const statement = this.#prepare(query, flags);
    // Bound for the first run, and for those that give none.
    if (parameters !== undefined && parameters !== null) ops.end(statement.raw, ops.start(statement.raw, [parameters]));
    return statement.made;
  }

  #prepare(query: unknown, flags: number): { raw: Native.Statement; made: Statement } {
    if (!ops.isOpen(this.#handle)) throw new RangeError("Cannot use a closed database");
    if (typeof query !== "string") throw new Error("Expected SQL string");
    const raw = ops.prepare(this.#handle, query, flags | 0, this.#flags);
    if (raw === undefined) throw new RangeError("Invalid SQL statement");
    return { raw, made: new Statement(raw) };
  }

  get [cachedCount]() {
    return this.#cache.size;
  }

  query(query: unknown): Statement {
    if (typeof query !== "string") throw new TypeError(`Expected 'query' to be a string, got '${typeof query}'`);
    if (query.length === 0) throw new Error("SQL query cannot be empty.");
    const cache = this.#cache;
    let statement = cache.get(query);
    if (statement !== undefined) {
      cache.delete(query);
      if (statement.isFinalized) statement = this.#prepare(query, constants.SQLITE_PREPARE_PERSISTENT).made;
      cache.set(query, statement);
      return statement;
    }
    statement = this.#prepare(query, constants.SQLITE_PREPARE_PERSISTENT).made;
    const most = Database.MAX_QUERY_CACHE_SIZE;
    if (most > 0 && query.length <= MAX_CACHED_LENGTH) {
      // The one that was used longest ago goes; whoever still has it may go on using it.
      if (cache.size >= most) for (const [oldest] of cache) if (cache.delete(oldest)) break;
      cache.set(query, statement);
    }
    return statement;
  }

  transaction<A extends unknown[], R>(callback: (...parameters: A) => R): TransactionFunction<A, R> {
    if (typeof callback !== "function") throw new TypeError("Expected first argument to be a function");
    return makeTransaction(this, callback);
  }

  [Symbol.dispose](): void {
    this.close(true);
  }

  declare exec: Database["run"];
}

Database.prototype.exec = Database.prototype.run;
defineProperty(Database.prototype, Symbol.for("sqlite-type"), {
  value: "bun:sqlite",
  writable: true,
  enumerable: true,
  configurable: true,
});

/** For `instanceof`: errors of SQLite have this name, and are made by the native half. */
class SQLiteError extends Error {
  static override [Symbol.hasInstance](instance: { name?: unknown } | null | undefined) {
    return instance?.name === "SQLiteError";
  }

  constructor() {
    super();
    throw new Error("SQLiteError can only be constructed by bun:sqlite");
  }
}

const exported = { __esModule: true, Database, Statement, constants, default: Database, SQLiteError };
export default exported;
