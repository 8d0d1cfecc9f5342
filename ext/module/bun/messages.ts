/**
 * `ResolveMessage` and `BuildMessage`, Bun's classes for specifiers that lead nowhere and for texts that cannot be parsed
 * (https://bun.com/reference/globals/ResolveMessage). Both are real errors: text, stack and `code` are Node's, the other members
 * are Bun's.
 */
import { codes } from "internal/core/errors";

const kMake = Symbol("kMake");

/** Where in a text something is wrong. `line` and `column` count from 1, `offset` and `length` are in code units. */
interface Position {
  lineText: string;
  file: string;
  namespace: string;
  line: number;
  column: number;
  length: number;
  offset: number;
}

/** How a specifier was used. */
type ImportKind = "import-statement" | "require-call" | "require-resolve" | "entry-point-run" | (string & {});

/** A specifier that could not be resolved. */
export class ResolveMessage extends Error {
  #code: string;
  #specifier: string;
  #referrer: string;
  #importKind: ImportKind;
  #position: Position | null = null;

  constructor(
    key?: unknown,
    message = "",
    code = "",
    specifier = "",
    referrer = "",
    kind: ImportKind = "",
    position: Position | null = null,
  ) {
    if (key !== kMake) throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
    super(message);
    this.#code = code;
    this.#specifier = specifier;
    this.#referrer = referrer;
    this.#importKind = kind;
    this.#position = position;
  }

  /** `MODULE_NOT_FOUND` of `require`, `ERR_MODULE_NOT_FOUND` of `import`, or another of Node's codes. */
  get code(): string {
    return this.#code;
  }
  /** 0 at run time: Bun does not say where an import stands either; the stack does. */
  get column(): number {
    return this.#position === null ? 0 : this.#position.column - 1;
  }
  get importKind(): string {
    return this.#importKind;
  }
  get level(): string {
    return "error";
  }
  get line(): number {
    return this.#position === null ? 0 : this.#position.line - 1;
  }
  /** null at run time. */
  get position(): Position | null {
    return this.#position;
  }
  /** The importing file, or the directory that was looked in. */
  get referrer(): string {
    return this.#referrer;
  }
  get specifier(): string {
    return this.#specifier;
  }

  toJSON() {
    const { name, position, message, level, specifier, importKind, referrer } = this;
    return { name, position, message, level, specifier, importKind, referrer };
  }

  /** As Node's errors. */
  override toString(): string {
    return `Error: ${this.message}`;
  }

  [Symbol.toPrimitive](hint: string): string | null {
    return hint === "number" ? null : this.toString();
  }
}

/** A mistake in a source text. */
export class BuildMessage extends Error {
  #position: Position | null;
  #level: string;
  #notes: unknown[];

  constructor(key?: unknown, message = "", position: Position | null = null, level = "error", notes: unknown[] = []) {
    if (key !== kMake) throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
    super(message);
    this.#position = position;
    this.#level = level;
    this.#notes = notes;
  }

  /** From 0, unlike that of `position`. */
  get column(): number {
    return this.#position === null ? 0 : this.#position.column - 1;
  }
  get level(): string {
    return this.#level;
  }
  /** From 0, unlike that of `position`. */
  get line(): number {
    return this.#position === null ? 0 : this.#position.line - 1;
  }
  get notes(): unknown[] {
    return this.#notes;
  }
  get position(): Position | null {
    return this.#position;
  }

  toJSON() {
    const { name, position, message, level } = this;
    return { name, position, message, level };
  }

  override toString(): string {
    return `BuildMessage: ${this.message}`;
  }

  [Symbol.toPrimitive](hint: string): string | null {
    return hint === "number" ? null : this.toString();
  }
}

for (const Class of [ResolveMessage, BuildMessage]) {
  const { prototype, name } = Class;
  for (const key of Object.getOwnPropertyNames(prototype)) {
    if (key !== "constructor") Object.defineProperty(prototype, key, { enumerable: true });
  }
  const constant = (value: unknown, enumerable: boolean) => ({ value, enumerable, configurable: true, writable: true });
  Object.defineProperties(prototype, {
    name: constant(name, true),
    message: constant("", true),
    [Symbol.toStringTag]: { value: name, configurable: true },
  });
}

/** Hidden as the errors' own members are, but for those that Node's errors show. */
function ownMembers(error: Error, shown: { [name: string]: unknown }): void {
  for (const [name, value] of Object.entries(shown)) {
    Object.defineProperty(error, name, { value, writable: true, enumerable: true, configurable: true });
  }
}

/** The error of a specifier that leads nowhere; the loader throws it. */
export function resolveMessage(
  message: string,
  code: string,
  specifier: string,
  referrer: string,
  kind: ImportKind,
): ResolveMessage {
  const error = new ResolveMessage(kMake, message, code, specifier, referrer, kind);
  // The first line of the stack is Node's, which the class's name would change.
  const stack = error.stack!;
  const head = `ResolveMessage: ${message}`;
  if (stack.startsWith(head)) {
    const value = `Error${stack.slice("ResolveMessage".length)}`;
    Object.defineProperty(error, "stack", { value, writable: true, configurable: true });
  }
  ownMembers(error, { code });
  return error;
}

/** The error of a text that cannot be parsed. */
export function buildMessage(message: string, position: Position | null): BuildMessage {
  return new BuildMessage(kMake, message, position);
}

/** The error or warning of a build. */
export function bundleMessage(
  message: string,
  level: string,
  position: Position | null,
  notes: readonly string[],
  unresolved: { specifier: string; referrer: string; kind: string } | null,
): ResolveMessage | BuildMessage {
  if (unresolved !== null && unresolved.kind !== "entry-point-build") {
    const { specifier, referrer, kind } = unresolved;
    return new ResolveMessage(kMake, message, "ERR_MODULE_NOT_FOUND", specifier, referrer, kind, position);
  }
  return new BuildMessage(kMake, message, position, level, [...notes]);
}
