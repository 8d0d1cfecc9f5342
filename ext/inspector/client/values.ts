// Values of the program that is debugged, as they are printed: remote objects of the protocol and their previews
// (https://chromedevtools.github.io/devtools-protocol/v8/Runtime/#type-RemoteObject), in the words of Node's debugger.
import type { Fields } from "internal/inspector/client/connection";
import { inspect } from "internal/util/inspect";

/** Most characters of an object in one line. */
const LINE_WIDTH = 72;

/** A value, or one inside of a preview. */
interface Described extends Fields {
  type: string;
  subtype?: string;
  className?: string;
  value?: unknown;
  unserializableValue?: string;
  description?: string;
}

interface PropertyPreview extends Described {
  name: string;
  value?: string;
  valuePreview?: Preview;
}

interface Preview extends Described {
  overflow?: boolean;
  properties?: PropertyPreview[];
  entries?: { key?: Preview; value: Preview }[];
}

export interface Remote extends Described {
  objectId?: string;
  preview?: Preview;
}

function quoted(text: string): string {
  return inspect(text);
}

/** A function by its text: `[Function: f]`. */
function functionText({ className = "Function", description = "" }: Described): string {
  const name = /^(?:function\*? )?([^\s(]+)\(/.exec(description)?.[1];
  const kind = /Function$/.test(className) ? className : "Function";
  if (description.startsWith("class")) return `[${description.split(/\s*\{/, 1)[0]}]`;
  return name === undefined ? `[${kind}]` : `[${kind}: ${name}]`;
}

/** A value that has no parts; undefined if it has some. */
function simple(value: Described): string | undefined {
  const { type, subtype, description } = value;
  switch (type) {
    case "string":
      return quoted(value.value as string);
    case "undefined":
      return "undefined";
    case "function":
      return functionText(value);
    case "object":
      break;
    default:
      return value.unserializableValue ?? description ?? `${value.value as string}`;
  }
  switch (subtype) {
    case "null":
      return "null";
    case "date": {
      const date = new Date(description ?? "");
      return Number.isNaN(date.getTime()) ? "Invalid Date" : date.toISOString();
    }
    case "regexp":
    case "error":
    case "proxy":
      return description;
  }
  return undefined;
}

/** A value in a property of a preview: a text for everything. */
function propertyText(property: PropertyPreview): string {
  const { type, value, valuePreview } = property;
  if (valuePreview !== undefined) return previewText(valuePreview);
  switch (type) {
    case "string":
      return quoted(value ?? "");
    case "accessor":
      return "[Getter]";
    case "function":
      return "[Function]";
  }
  return value === undefined || value === "" ? type : value;
}

/** An item of a map or a set. */
function entryText(entry: Preview, isKey = false): string {
  if (entry.type === "string") return isKey ? entry.description! : quoted(entry.description!);
  return simple(entry) ?? previewText(entry);
}

/** Parts between braces, in one line where they are short. */
function join(open: string, parts: string[], close: string): string {
  if (parts.length === 0) return open + close;
  const isLong = parts.some((part) => part.includes("\n"));
  const line = `${open} ${parts.join(", ")} ${close}`;
  return isLong || line.length > LINE_WIDTH ? `${open} ${parts.join(",\n  ")} ${close}` : line;
}

function previewText(preview: Preview): string {
  const { subtype, description = "Object", overflow, properties = [], entries } = preview;
  const isCollection = subtype === "map" || subtype === "set" || subtype === "weakmap" || subtype === "weakset";
  const parts: string[] = [];
  if (isCollection) {
    if (entries === undefined && !/\(0\)$/.test(description)) parts.push("...");
    for (const { key, value } of entries ?? []) {
      parts.push(key === undefined ? entryText(value) : `${entryText(key, true)} => ${entryText(value)}`);
    }
  }
  const isList = subtype === "array" || subtype === "typedarray";
  for (const property of properties) {
    const { name } = property;
    if (isCollection && name === "size") continue;
    if (isList && /^\d+$/.test(name)) parts.push(propertyText(property));
    else
      parts.push(
        `${/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? name : quoted(name)}: ${propertyText(property)}`,
      );
  }
  if (overflow === true) parts.push("...");
  if (isList) {
    const prefix = subtype === "array" && description.startsWith("Array(") ? "" : `${description} `;
    return prefix + join("[", parts, "]");
  }
  return (description === "Object" ? "" : `${description} `) + join("{", parts, "}");
}

/** A value of the program as text. */
export function remoteText(remote: Remote): string {
  const text = simple(remote);
  if (text !== undefined) return text;
  if (remote.preview !== undefined) return previewText(remote.preview);
  return remote.description ?? remote.type;
}

/** A value of the program, which prints as it would there. */
export class RemoteValue {
  readonly remote: Remote;

  constructor(remote: Remote) {
    this.remote = remote;
  }

  [inspect.custom as unknown as "inspect"](): string {
    return remoteText(this.remote);
  }
}

/** The names of a scope. */
export class ScopeNames {
  readonly type: string;
  readonly names: string[];

  constructor(type: string, names: string[]) {
    this.type = type;
    this.names = names;
  }

  [inspect.custom as unknown as "inspect"](): string {
    return `${this.type} ${join("[", this.names.map(quoted), "]")}`;
  }
}

/** The language's own classes of errors. */
const ERRORS: Record<string, ErrorConstructor> = {
  __proto__: null as never,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
};

/** The error that code of the program has ended with, as the debugger throws it. */
export function thrownError(remote: Remote): Error {
  const { description } = remote;
  const text = remote.subtype === "error" && description !== undefined ? description : remoteText(remote);
  const lines = text.split("\n");
  const at = lines.findIndex((line) => /^\s+at /.test(line));
  const head = (at === -1 ? lines : lines.slice(0, at)).join("\n");
  const name = /^([\w$.]*Error)(?:: |$)/.exec(head)?.[1];
  const message = name === undefined ? head : head.slice(name.length).replace(/^: /, "");
  const error = new (ERRORS[name ?? ""] ?? Error)(message);
  if (name !== undefined && error.name !== name)
    Object.defineProperty(error, "name", { value: name, configurable: true });
  // Its own stack is that of the debugger, which nobody looks for.
  error.stack = head;
  return error;
}
