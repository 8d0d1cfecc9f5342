// Formats of data: Bun.TOML, YAML, JSON5 and JSONC.
import { bytesOf, blobBytes, invalidType } from "bun/util";

const ops = native("bun_data");

/** An object as a map of names to values; an array by its indices. */
type Dictionary = { [key: string]: unknown };

const JSONC_FORMAT = 0;
const JSON5_FORMAT = 1;
const TOML_FORMAT = 2;
const YAML_FORMAT = 3;

function textOf(input: unknown): string {
  if (typeof input === "string") return input;
  if (input === undefined || input === null)
    throw invalidType("input must be a string, ArrayBuffer, ArrayBufferView or Blob");
  const bytes = typeof input === "object" ? (bytesOf(input) ?? blobBytes(input)) : undefined;
  return bytes === undefined ? `${input}` : new TextDecoder().decode(bytes);
}

function indentOf(space: unknown): string {
  if (space instanceof Number || space instanceof String) space = space.valueOf();
  if (typeof space === "number") return " ".repeat(Math.max(0, Math.min(10, Math.trunc(space))));
  return typeof space === "string" ? space.slice(0, 10) : "";
}

function circular(format: string): Error {
  return new Error(`Converting circular structure to ${format}`);
}

/** Whether a value has no place in these formats. */
function isAbsent(value: unknown): boolean {
  return value === undefined || typeof value === "function" || typeof value === "symbol";
}

// ---- JSON5 ----

const escapes: Record<string, string> = {
  "\\": "\\\\",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\0": "\\0",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

function json5String(text: string): string {
  const quoted = text.replace(/[\\\b\f\n\r\t\v\0\u2028\u2029'\u0001-\u001f\u007f]/g, (c) =>
    c === "'" ? "\\'" : (escapes[c] ?? `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`),
  );
  return `'${quoted}'`;
}

function json5(value: unknown, indent: string, gap: string, above: unknown[]): string | undefined {
  if (value instanceof Number || value instanceof String || value instanceof Boolean) value = value.valueOf();
  if (value === null) return "null";
  if (isAbsent(value)) return undefined;
  if (typeof value === "string") return json5String(value);
  if (typeof value === "number") return Object.is(value, -0) ? "0" : `${value}`;
  if (typeof value === "bigint") throw new Error("JSON5.stringify cannot serialize BigInt");
  if (typeof value !== "object") return `${value}`;
  if (above.includes(value)) throw circular("JSON5");
  above.push(value);
  const inner = gap + indent;
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      parts.push(json5(value[i], indent, inner, above) ?? "null");
    }
  } else {
    for (const key of Object.keys(value)) {
      const text = json5((value as Dictionary)[key], indent, inner, above);
      if (text === undefined) continue;
      const name = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u.test(key) ? key : json5String(key);
      parts.push(`${name}:${indent === "" ? "" : " "}${text}`);
    }
  }
  above.pop();
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (parts.length === 0) return `${open}${close}`;
  return indent === ""
    ? `${open}${parts.join(",")}${close}`
    : `${open}\n${parts.map((part) => `${inner}${part},\n`).join("")}${gap}${close}`;
}

export const JSON5 = {
  /** The value of a text; throws a SyntaxError. */
  parse(text: unknown) {
    return ops.parseData(JSON5_FORMAT, textOf(text));
  },

  /** The text of a value, as JSON.stringify does. */
  stringify(value: unknown, replacer?: unknown, space?: unknown): string | undefined {
    if (replacer !== undefined && replacer !== null) {
      throw new Error("JSON5.stringify does not support the replacer argument");
    }
    return json5(value, indentOf(space), "", []);
  },
};

export const JSONC = {
  /** The value of a text of JSON with comments and trailing commas; throws a SyntaxError. */
  parse(text: unknown) {
    if (text === undefined || text === null) throw invalidType("input must be a string");
    return ops.parseData(JSONC_FORMAT, textOf(text));
  },
};

// ---- YAML ----

/** Words and numbers that a plain scalar would be taken for. */
const yamlReserved =
  /^(?:~|null|true|false|yes|no|on|off|y|n|[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?|\.inf|0x[\da-f]+|0o[0-7]+)|\.nan)$/i;
const yamlIndicator = /^[-?:,[\]{}#&*!|>%@`\s<.~]|^$/;

function yamlString(text: string): string {
  const plain =
    !yamlReserved.test(text) &&
    !yamlIndicator.test(text) &&
    !/[\x00-\x1f\x7f\u0085\u2028\u2029\ufeff]/.test(text) &&
    !/: |:$|[,[\]{}#'"]/.test(text) &&
    !/\s$/.test(text);
  if (plain) return text;
  return `"${text.replace(/[\\"\x00-\x1f\x7f\u0085\u00a0\u2028\u2029\ufeff]/g, (c) => {
    switch (c) {
      case "\\":
        return "\\\\";
      case '"':
        return '\\"';
      case "\n":
        return "\\n";
      case "\r":
        return "\\r";
      case "\t":
        return "\\t";
      case "\0":
        return "\\0";
      case "\b":
        return "\\b";
      case "\f":
        return "\\f";
      case "\v":
        return "\\v";
      case "\x07":
        return "\\a";
      case "\x1b":
        return "\\e";
      case "\u0085":
        return "\\N";
      case "\u00a0":
        return "\\_";
      case "\u2028":
        return "\\L";
      case "\u2029":
        return "\\P";
    }
    const code = c.charCodeAt(0);
    return code < 256 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
  })}"`;
}

interface YamlState {
  indent: string;
  /** How often each object is met; those met again get an anchor. */
  counts: Map<object, number>;
  anchors: Map<object, string>;
  names: Set<string>;
}

function countObjects(value: unknown, counts: Map<object, number>): void {
  if (!isCollection(value)) return;
  const count = counts.get(value) ?? 0;
  counts.set(value, count + 1);
  if (count > 0) return;
  for (const key of Object.keys(value)) countObjects(value[key], counts);
}

function isCollection(value: unknown): value is Dictionary {
  return (
    typeof value === "object" &&
    value !== null &&
    !(value instanceof Number || value instanceof String || value instanceof Boolean)
  );
}

function yamlScalar(value: unknown): string {
  if (typeof value === "object" && value !== null) value = value.valueOf();
  if (typeof value === "string") return yamlString(value);
  if (typeof value === "number") {
    if (value !== value) return ".nan";
    if (Math.abs(value) === Infinity) return value < 0 ? "-.inf" : ".inf";
    return Object.is(value, -0) ? "-0" : `${value}`;
  }
  if (typeof value === "bigint") throw new Error("YAML.stringify cannot serialize BigInt");
  return `${value}`;
}

/** The alias of a collection that has been written, or a new anchor, or "". Anchors are called after their keys. */
function yamlMark(value: Dictionary, key: string | undefined, state: YamlState): string {
  const known = state.anchors.get(value);
  if (known !== undefined) return `*${known}`;
  if (state.counts.get(value)! < 2) return "";
  const named = key !== undefined && /^[A-Za-z][A-Za-z0-9]*$/.test(key);
  const base = key === undefined ? "item" : named ? key : "value";
  let name = named ? base : `${base}0`;
  for (let count = 1; state.names.has(name); count++) name = `${base}${count}`;
  state.names.add(name);
  state.anchors.set(value, name);
  return `&${name}`;
}

const yamlKeys = (value: Dictionary) => Object.keys(value).filter((key) => !isAbsent(value[key]));

/** In one line. */
function yamlFlow(value: unknown, key: string | undefined, state: YamlState): string {
  if (!isCollection(value)) return yamlScalar(value);
  let mark = yamlMark(value, key, state);
  if (mark.startsWith("*")) return mark;
  if (mark !== "") mark += " ";
  return mark + yamlFlowBody(value, state);
}

/** The lines of a collection below `gap`; the first one without it. */
function yamlBlock(value: Dictionary, state: YamlState, gap: string): string {
  const keys = yamlKeys(value);
  if (Array.isArray(value)) {
    if (keys.length === 0) return "[]";
    return keys.map((index) => `- ${yamlItem(value[index], undefined, state, `${gap}  `)}`).join(`\n${gap}`);
  }
  if (keys.length === 0) return "{}";
  const inner = gap + state.indent;
  return keys
    .map((key) => {
      const item = value[key];
      const text = yamlItem(item, key, state, inner);
      const inline = !isCollection(item) || text === "[]" || text === "{}";
      return `${yamlString(key)}:${inline ? " " : `\n${inner}`}${text}`;
    })
    .join(`\n${gap}`);
}

/** A value with its anchor, or an alias. */
function yamlItem(value: unknown, key: string | undefined, state: YamlState, gap: string): string {
  if (!isCollection(value)) return yamlScalar(value);
  const mark = yamlMark(value, key, state);
  if (mark.startsWith("*")) return mark;
  return (mark === "" ? "" : `${mark}\n${gap}`) + yamlBlock(value, state, gap);
}

export const YAML = {
  /** The value of a text: of one document, or an array of several; throws a SyntaxError. */
  parse(text: unknown) {
    if (text === null) return null;
    return ops.parseData(YAML_FORMAT, textOf(text));
  },

  /** The text of a value: in one line, or with `space` in blocks. Objects that occur again become aliases. */
  stringify(value: unknown, replacer?: unknown, space?: unknown): string | undefined {
    if (replacer !== undefined && replacer !== null) {
      throw new Error("YAML.stringify does not support the replacer argument");
    }
    if (isAbsent(value)) return undefined;
    const counts = new Map();
    countObjects(value, counts);
    const indent = indentOf(space);
    const state = { indent, counts, anchors: new Map(), names: new Set<string>() };
    let root = "";
    if (isCollection(value) && counts.get(value) > 1) {
      root = indent === "" ? "&root " : "&root\n";
      state.anchors.set(value, "root");
      counts.set(value, 1);
    }
    if (!isCollection(value)) return yamlScalar(value);
    if (indent !== "") return root + yamlBlock(value, state, "");
    // What has an anchor already would only be an alias.
    return root === "" ? yamlFlow(value, undefined, state) : root + yamlFlowBody(value, state);
  },
};

function yamlFlowBody(value: Dictionary, state: YamlState): string {
  const keys = yamlKeys(value);
  return Array.isArray(value)
    ? `[${keys.map((index) => yamlFlow(value[index], undefined, state)).join(",")}]`
    : `{${keys.map((name) => `${yamlString(name)}: ${yamlFlow(value[name], name, state)}`).join(",")}}`;
}

// ---- TOML ----

function tomlString(text: string): string {
  return JSON.stringify(text).replace(/\x7f/g, "\\u007f");
}

const tomlKey = (key: string) => (/^[A-Za-z0-9_-]+$/.test(key) ? key : tomlString(key));

const isTable = (value: unknown): value is Dictionary =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Date) &&
  temporalName(value) === "";

/** "Instant" and the like for objects of Temporal. */
function temporalName(value: unknown): string {
  const tag = (value as { [Symbol.toStringTag]?: unknown } | null | undefined)?.[Symbol.toStringTag];
  return typeof tag === "string" && tag.startsWith("Temporal.") ? tag.slice(9) : "";
}

function tomlValue(value: unknown, above: unknown[]): string {
  switch (typeof value) {
    case "string":
      return tomlString(value);
    case "number":
      if (value !== value) return "nan";
      if (Math.abs(value) === Infinity) return value < 0 ? "-inf" : "inf";
      return Object.is(value, -0) ? "-0.0" : `${value}`;
    case "bigint":
      throw new Error("TOML.stringify cannot serialize BigInt");
    case "boolean":
      return `${value}`;
  }
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw new Error("TOML.stringify cannot serialize an invalid Date");
    return value.toISOString().replace(".000Z", "Z");
  }
  if (temporalName(value) !== "") return `${value}`;
  if (above.includes(value)) throw circular("TOML");
  above.push(value);
  const text = Array.isArray(value)
    ? `[${value
        .map((item) => {
          if (item === null || isAbsent(item))
            throw new Error(`TOML cannot represent ${item === null ? null : typeof item} in an array`);
          return tomlValue(item, above);
        })
        .join(", ")}]`
    : `{ ${Object.keys(value as Dictionary)
        .filter((key) => (value as Dictionary)[key] !== null && !isAbsent((value as Dictionary)[key]))
        .map((key) => `${tomlKey(key)} = ${tomlValue((value as Dictionary)[key], above)}`)
        .join(", ")} }`;
  above.pop();
  return text === "{  }" ? "{}" : text;
}

function tomlTable(table: Dictionary, path: string, above: unknown[], out: string[]): void {
  if (above.includes(table)) throw circular("TOML");
  above.push(table);
  const later: string[] = [];
  let lines = "";
  for (const key of Object.keys(table)) {
    const value = table[key];
    if (value === null)
      throw new Error(`TOML cannot represent null (key '${key}'); remove the key or use a sentinel value`);
    if (isAbsent(value)) continue;
    if (isTable(value) || (Array.isArray(value) && value.length > 0 && value.every(isTable))) later.push(key);
    else lines += `${tomlKey(key)} = ${tomlValue(value, above)}\n`;
  }
  if (path === "") {
    if (lines !== "") out.push(lines);
  } else {
    const isList = path.startsWith("[");
    const onlyTables = lines === "" && later.length > 0 && !isList;
    if (!onlyTables) out.push(`[${path}]\n${lines}`);
  }
  const prefix = path === "" ? "" : `${path.replace(/^\[|\]$/g, "")}.`;
  for (const key of later) {
    const name = prefix + tomlKey(key);
    if (Array.isArray(table[key])) for (const item of table[key]) tomlTable(item, `[${name}]`, above, out);
    else tomlTable(table[key] as Dictionary, name, above, out);
  }
  above.pop();
}

export const TOML = {
  /** The value of a text; throws a SyntaxError. */
  parse(text: unknown) {
    return ops.parseData(TOML_FORMAT, textOf(text));
  },

  /** The text of an object. */
  stringify(value: unknown): string | undefined {
    if (value === undefined) return undefined;
    if (!isTable(value)) {
      throw new Error("TOML.stringify expects an object at the top level (a TOML document is a table)");
    }
    const out: string[] = [];
    tomlTable(value, "", [], out);
    return out.join("\n");
  },
};
