// The worker that runs macros: their results become JavaScript text.
import { own } from "internal/worker/thread_info";
import type { Port } from "web/message_port";

/** Calls to make, in their order. Of the arguments, text of an array, `r[N]` are results of calls before. */
export interface MacroJob {
  path: string;
  calls: { specifier: string; name: string; args: string }[];
}

export interface MacroAnswer {
  results: string[];
  /** Number of the call that has failed, and why. */
  failed: number | undefined;
  error: string;
  stack: string | undefined;
}

/** A value that has no text. */
class NoText extends Error {}

const isIdentifier = /^[A-Za-z_$][\w$]*$/;

function keyOf(key: string): string {
  if (key === "__proto__") return '["__proto__"]';
  return isIdentifier.test(key) ? key : JSON.stringify(key);
}

function refuse(value: unknown): never {
  const kind =
    typeof value === "object" || typeof value === "function"
      ? ((value as object).constructor?.name ?? "object")
      : typeof value;
  throw new NoText(`cannot coerce ${kind} to Bun's AST. Please return a simpler type`);
}

function isPlain(value: object): boolean {
  const tag = Object.prototype.toString.call(value);
  return tag === "[object Object]";
}

/** The JavaScript of a value. Throws a {@link NoText} about one that has none. */
async function textOf(value: unknown, parents: readonly object[]): Promise<string> {
  switch (typeof value) {
    case "undefined":
      return "undefined";
    case "boolean":
      return `${value}`;
    case "number":
      return Object.is(value, -0) ? "-0" : `${value}`;
    case "string":
      return JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
    case "bigint":
      return `${value}n`;
    case "object":
      break;
    default:
      return refuse(value);
  }
  if (value === null) return "null";
  if (value instanceof Promise) return textOf(await value, parents);
  if (value instanceof Response || value instanceof Blob) return bodyText(value, parents);
  if (value instanceof RegExp) return `${value}`;
  if (Error.isError(value)) throw value;
  if (ArrayBuffer.isView(value)) {
    return JSON.stringify(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64"));
  }
  if (value instanceof ArrayBuffer) return JSON.stringify(Buffer.from(value).toString("base64"));
  if (parents.includes(value)) throw new NoText("cannot coerce an object that contains itself to Bun's AST");
  const above = [...parents, value];
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (const item of value) parts.push(await textOf(item, above));
    return `[${parts.join(", ")}]`;
  }
  if (!isPlain(value)) return refuse(value);
  for (const [key, item] of Object.entries(value)) parts.push(`${keyOf(key)}: ${await textOf(item, above)}`);
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}

/** A body by its type: JSON as a value, text as a string, all else in base64. */
async function bodyText(body: Response | Blob, parents: readonly object[]): Promise<string> {
  const type = body instanceof Response ? (body.headers.get("content-type") ?? "") : body.type;
  const kind = type.split(";")[0]!.trim().toLowerCase();
  if (kind === "application/json" || kind.endsWith("+json")) return textOf(await body.json(), parents);
  if (kind.startsWith("text/") || kind === "application/javascript") return textOf(await body.text(), parents);
  return JSON.stringify(Buffer.from(await body.arrayBuffer()).toString("base64"));
}

async function run({ path, calls }: MacroJob): Promise<MacroAnswer> {
  const values: unknown[] = [];
  const results: string[] = [];
  const folder = require("node:path").dirname(path);
  for (const [number, { specifier, name, args }] of calls.entries()) {
    try {
      let file: string;
      try {
        file = Bun.resolveSync(specifier, folder);
      } catch {
        throw new NoText(`Macro "${specifier}" not found`);
      }
      const exports = (await import(file)) as { [name: string]: unknown };
      const macro = exports[name];
      if (macro === undefined) throw new NoText(`Macro '${name}' not found in '${file}'`);
      if (typeof macro !== "function") throw new NoText(`Macro '${name}' in '${file}' must be a function`);
      // Literals and operators, see libs/transpile/src/macros.rs.
      const given = new Function("r", `return ${args};`)(values) as unknown[];
      const value: unknown = await (macro as (...given: unknown[]) => unknown)(...given);
      values.push(value);
      results.push(await textOf(value, []));
    } catch (error) {
      const isError = Error.isError(error);
      const stack = isError && !(error instanceof NoText) ? (error as Error).stack : undefined;
      return { results, failed: number, error: isError ? (error as Error).message : `${error}`, stack };
    }
  }
  return { results, failed: undefined, error: "", stack: undefined };
}

/** Answers the thread that waits, until that ends. */
export function serve(): void {
  const { port, signal } = own.workerData as { port: Port; signal: Int32Array };
  const wake = () => {
    Atomics.store(signal, 0, 1);
    Atomics.notify(signal, 0);
  };
  // A macro may end its thread, or leave an error to nobody.
  const process = require("node:process");
  process.on("exit", wake);
  port.on("message", ((job: MacroJob) => {
    void run(job).then((answer) => {
      port.postMessage(answer);
      wake();
    });
  }) as (message: unknown) => void);
}
