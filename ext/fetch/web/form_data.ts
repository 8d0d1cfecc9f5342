/** `FormData`: https://xhr.spec.whatwg.org/#interface-formdata. As in Bun, there are `toJSON` and `length`. */
import { createBlob, File, isBlob } from "web/blob";
import { finishInterface, makeIterable, requireArguments, usvString, wrongThis } from "internal/fetch/webidl";
import { boundaryOf, parseMultipart } from "internal/fetch/multipart";

const kInspect = Symbol.for("nodejs.util.inspect.custom");

let isFormDataObject: (value: unknown) => value is FormData;
let entriesOf: (form: FormData) => [string, string | File][];

/** What a form keeps of a value: a string, or a File. */
function toEntryValue(value: unknown, filename: unknown, given: boolean, method: string): string | File {
  if (!isBlob(value)) {
    if (given) {
      throw new TypeError(`Failed to execute '${method}' on 'FormData': parameter 2 is not of type 'Blob'`);
    }
    return usvString(value);
  }
  if (value instanceof File && !given) return value;
  const name = given ? usvString(filename) : "blob";
  const options: { type: string; lastModified?: number } = { type: value.type };
  if (value instanceof File) options.lastModified = value.lastModified;
  return new File([value], name, options);
}

/** The fields of a form: names with strings or files. */
class FormData {
  #entries: [string, string | File][] = [];

  static {
    isFormDataObject = (value): value is FormData => typeof value === "object" && value !== null && #entries in value;
    entriesOf = (form) => form.#entries;
  }

  constructor(form: unknown = undefined) {
    if (form !== undefined)
      throw new TypeError("FormData constructor: Argument 1 could not be converted to: undefined.");
  }

  /** Adds a field; `filename` for blobs only. */
  append(name: unknown, value: unknown, filename: unknown = undefined): void {
    if (!isFormDataObject(this)) throw wrongThis("FormData");
    requireArguments(arguments.length, 2, "FormData.append");
    this.#entries.push([usvString(name), toEntryValue(value, filename, arguments.length > 2, "append")]);
  }

  /** Takes all fields of a name out. */
  delete(name: unknown): void {
    if (!isFormDataObject(this)) throw wrongThis("FormData");
    requireArguments(arguments.length, 1, "FormData.delete");
    name = usvString(name);
    // In place: iterators may be at work.
    const kept = this.#entries.filter((entry) => entry[0] !== name);
    this.#entries.splice(0, this.#entries.length, ...kept);
  }

  /** The first value of a name, or null. */
  get(name: unknown): unknown {
    if (!isFormDataObject(this)) throw wrongThis("FormData");
    requireArguments(arguments.length, 1, "FormData.get");
    name = usvString(name);
    for (const entry of this.#entries) if (entry[0] === name) return entry[1];
    return null;
  }

  getAll(name: unknown): unknown[] {
    if (!isFormDataObject(this)) throw wrongThis("FormData");
    requireArguments(arguments.length, 1, "FormData.getAll");
    name = usvString(name);
    return this.#entries.filter((entry) => entry[0] === name).map((entry) => entry[1]);
  }

  has(name: unknown): boolean {
    if (!isFormDataObject(this)) throw wrongThis("FormData");
    requireArguments(arguments.length, 1, "FormData.has");
    name = usvString(name);
    return this.#entries.some((entry) => entry[0] === name);
  }

  /** Makes a value the only one of its name, in the place of the first. */
  set(name: unknown, value: unknown, filename: unknown = undefined): void {
    if (!isFormDataObject(this)) throw wrongThis("FormData");
    requireArguments(arguments.length, 2, "FormData.set");
    const entry: [string, string | File] = [
      usvString(name),
      toEntryValue(value, filename, arguments.length > 2, "set"),
    ];
    const entries = this.#entries;
    const first = entries.findIndex((other) => other[0] === entry[0]);
    if (first === -1) {
      entries.push(entry);
      return;
    }
    entries[first] = entry;
    for (let i = entries.length - 1; i > first; i--) if (entries[i][0] === entry[0]) entries.splice(i, 1);
  }

  /** An object of names and values; names with several values have arrays (Bun). */
  toJSON(): Record<string, unknown> {
    if (!isFormDataObject(this)) throw wrongThis("FormData");
    return grouped(this.#entries);
  }

  /** How many fields there are (Bun). */
  get length(): number {
    if (!isFormDataObject(this)) throw wrongThis("FormData");
    return this.#entries.length;
  }

  [kInspect](depth: number, options: { depth?: unknown } | null | undefined): string {
    if (typeof depth === "number" && depth < 0) return "[FormData]";
    const { inspect } = require("internal/util/inspect");
    const nested = { ...options, depth: options?.depth ?? 2 };
    return `FormData ${inspect(grouped(this.#entries), nested)}`;
  }
}

function grouped(entries: [string, unknown][]): Record<string, unknown> {
  const result: Record<string, any> = {};
  const several = new Set<string>();
  for (const [name, value] of entries) {
    if (!Object.hasOwn(result, name)) {
      result[name] = value;
    } else if (several.has(name)) {
      result[name].push(value);
    } else {
      several.add(name);
      result[name] = [result[name], value];
    }
  }
  return result;
}

finishInterface(FormData, "FormData", ["append", "delete", "get", "getAll", "has", "set", "toJSON", "length"]);
makeIterable(FormData, "FormData", (object) => {
  if (!isFormDataObject(object)) throw wrongThis("FormData");
  return entriesOf(object);
});

/** Whether a value is a FormData. */
export function isFormData(value: unknown): value is FormData {
  return isFormDataObject(value);
}

/** The fields of a FormData; not a copy. */
export function formEntries(form: FormData): [string, string | File][] {
  return entriesOf(form);
}

/** The form of a body and its media type. Throws TypeError if it is none. */
export function parseFormData(body: Uint8Array, contentType: string | null): FormData {
  const type = (contentType ?? "").split(";", 1)[0].trim().toLowerCase();
  const form = new FormData();
  const entries = entriesOf(form);
  if (type === "application/x-www-form-urlencoded") {
    const list = require("web/url_search_params").parsePairs(decode(body));
    for (let i = 0; i < list.length; i += 2) entries.push([list[i], list[i + 1]]);
    return form;
  }
  if (type !== "multipart/form-data") {
    throw new TypeError('Content-Type was not one of "multipart/form-data" or "application/x-www-form-urlencoded".');
  }
  const boundary = boundaryOf(contentType!);
  const parts = boundary === undefined ? undefined : parseMultipart(body, boundary);
  if (parts === undefined) throw new TypeError("Failed to parse body as FormData.");
  return formOf(parts);
}

function formOf(parts: Exclude<ReturnType<typeof parseMultipart>, undefined>): FormData {
  const form = new FormData();
  const entries = entriesOf(form);
  for (const { name, text, filename, type: partType, bytes } of parts) {
    entries.push([
      name,
      filename === undefined
        ? text
        : new File([createBlob(bytes!.slice())], filename, { type: partType || "text/plain" }),
    ]);
  }
  return form;
}

/**
 * Bun's addition: the form of a text, of bytes or of a Blob in memory. With `boundary` they are multipart/form-data, else
 * application/x-www-form-urlencoded. Throws ERR_INVALID_ARG_TYPE, or a TypeError if they cannot be parsed.
 */
function from(input: unknown, boundary?: unknown): FormData {
  const { bytesOf, blobBytes, invalidType } = require("bun/util");
  const bytes =
    typeof input === "string"
      ? new TextEncoder().encode(input)
      : typeof input === "object" && input !== null
        ? (bytesOf(input) ?? blobBytes(input))
        : undefined;
  if (bytes === undefined) throw invalidType("input must be a string or ArrayBufferView");
  const separator = boundary === undefined || boundary === null ? "" : `${boundary}`;
  if (separator === "") return parseFormData(bytes, "application/x-www-form-urlencoded");
  const parts = parseMultipart(bytes, separator);
  if (parts === undefined) throw new TypeError("Failed to parse the input as FormData: a boundary is missing");
  return formOf(parts);
}
Object.defineProperty(FormData, "from", { value: from, writable: true, configurable: true });
Object.defineProperty(from, "length", { value: 1 });

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

export { FormData };
