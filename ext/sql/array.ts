/** The text of PostgreSQL's arrays, as values of `sql.array` and of parameters (https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO). */

/** Names of a type: words, qualified, with numbers in parentheses. */
const TYPE_NAME =
  /^(?:[A-Z_][A-Z0-9_$]*|"[^"\0]+")(?:\.(?:[A-Z_][A-Z0-9_$]*|"[^"\0]+"))?(?:\s*\(\d+(?:\s*,\s*\d+)?\))?(?: [A-Z]+)*(?:\s*\(\d+(?:\s*,\s*\d+)?\))?$/i;

/** Types of elements by number, for those who know numbers. */
const NAMES: Record<number, string> = {
  16: "BOOLEAN",
  17: "BYTEA",
  18: "CHAR",
  19: "NAME",
  20: "BIGINT",
  21: "SMALLINT",
  23: "INTEGER",
  25: "TEXT",
  26: "OID",
  114: "JSON",
  142: "XML",
  600: "POINT",
  601: "LSEG",
  602: "PATH",
  603: "BOX",
  604: "POLYGON",
  628: "LINE",
  650: "CIDR",
  700: "REAL",
  701: "DOUBLE PRECISION",
  718: "CIRCLE",
  774: "MACADDR8",
  790: "MONEY",
  829: "MACADDR",
  869: "INET",
  1042: "CHAR",
  1043: "VARCHAR",
  1082: "DATE",
  1083: "TIME",
  1114: "TIMESTAMP",
  1184: "TIMESTAMPTZ",
  1186: "INTERVAL",
  1266: "TIMETZ",
  1560: "BIT",
  1562: "VARBIT",
  1700: "NUMERIC",
  2950: "UUID",
  3802: "JSONB",
  4072: "JSONPATH",
};

/** Arrays of these by the number of the array type. */
const ARRAYS: Record<number, number> = {
  199: 114,
  1000: 16,
  1001: 17,
  1002: 18,
  1003: 19,
  1005: 21,
  1007: 23,
  1009: 25,
  1014: 1042,
  1015: 1043,
  1016: 20,
  1021: 700,
  1022: 701,
  1028: 26,
  1041: 869,
  651: 650,
  1040: 829,
  1115: 1114,
  1182: 1082,
  1183: 1083,
  1185: 1184,
  1187: 1186,
  1231: 1700,
  1270: 1266,
  1561: 1560,
  1563: 1562,
  2951: 2950,
  3807: 3802,
  143: 142,
  775: 774,
  791: 790,
};

/** Throws for what is no name of a type: it becomes text of the statement. */
export function typeName(type: unknown): string | undefined {
  if (type === undefined || type === null) return undefined;
  if (typeof type === "number") {
    const name = NAMES[ARRAYS[type] ?? type];
    if (name === undefined) throw new Error(`Type ${type} is not supported: give the name of the type`);
    return name;
  }
  const name = typeof type === "string" ? type.trim() : "";
  if (!TYPE_NAME.test(name)) throw new Error(`Array type ${Bun.inspect(type)} is not a valid PostgreSQL type name`);
  return name.startsWith('"') || name.includes('."') ? name : name.toUpperCase();
}

const isJson = (type: string | undefined): boolean => type === "JSON" || type === "JSONB";

function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, "\\$&")}"`;
}

function plainJson(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (ArrayBuffer.isView(value)) return bytesOf(value).toString("hex");
  if (value === undefined) return null;
  return value;
}

const bytesOf = (value: ArrayBufferView): Buffer => Buffer.from(value.buffer, value.byteOffset, value.byteLength);

/** One element, as it stands between braces. */
function element(value: unknown, type: string | undefined): string {
  if (isJson(type)) {
    const text = JSON.stringify(plainJson(value), (_, inner) => plainJson(inner));
    return quoted(text ?? "null");
  }
  switch (typeof value) {
    case "undefined":
      return "NULL";
    case "number":
    case "bigint":
      return `"${String(value)}"`;
    case "boolean":
      return value ? '"t"' : '"f"';
    case "string":
      return quoted(value);
    case "symbol":
    case "function":
      throw new TypeError(`A ${typeof value} cannot be an element of an array`);
    default:
  }
  if (value === null) return "NULL";
  if (Array.isArray(value)) return arrayText(value, type);
  if (value instanceof Date) return `"${value.toISOString()}"`;
  if (value instanceof ArrayBuffer) return `"\\\\x${Buffer.from(value).toString("hex")}"`;
  if (value instanceof Uint8Array) return `"\\\\x${bytesOf(value).toString("hex")}"`;
  if (ArrayBuffer.isView(value)) return arrayText(value, type);
  return quoted(JSON.stringify(value));
}

/** An array of any depth, or a typed array. */
export function arrayText(values: unknown, type: string | undefined): string {
  const isTyped = ArrayBuffer.isView(values) && !(values instanceof DataView);
  if (!Array.isArray(values) && !isTyped) throw new TypeError("sql.array takes an array");
  let text = "{";
  const list = values as ArrayLike<unknown>;
  // Boxes have commas themselves.
  const separator = type === "BOX" ? ";" : ",";
  for (let i = 0; i < list.length; i++) text += (i > 0 ? separator : "") + element(list[i], type);
  return `${text}}`;
}
