// The global structuredClone: https://html.spec.whatwg.org/multipage/structured-data.html#dom-structuredclone

const loop = native("loop");

/** HTML's structuredClone: of plain data natively, of everything else on the engine's serialiser. */
export function structuredClone(value: unknown, options?: { transfer?: unknown[] }) {
  if (arguments.length === 0) {
    const { codes } = require("internal/core/errors");
    throw new codes.ERR_MISSING_ARGS('The "value" argument must be specified');
  }
  const transfer = options === undefined || options === null ? undefined : transferOf(options);
  let ours = true;
  if (transfer === undefined) {
    if (typeof value !== "object") {
      if (typeof value !== "symbol" && typeof value !== "function") return value;
    } else {
      if (value === null) return null;
      const copy = loop.clonePlain(value);
      if (typeof copy === "object") return copy;
      ours = copy === 2;
    }
  }
  const list = transfer === undefined ? undefined : [...transfer];
  if (list !== undefined) require("internal/worker/untransferable").refuseUntransferable(list);
  if (!ours || typeof value !== "object") return serialize(value, list);
  const { pack, unpack } = require("internal/worker/messaging/platform_objects");
  const local: unknown[] = [];
  const packed = pack(value, list, local);
  const copy = serialize(packed, list);
  return packed === value ? copy : unpack(copy, local);
}

function transferOf(options: { transfer?: unknown[] }): Iterable<unknown> | undefined {
  const invalid = (text: string) => {
    const error: NodeError = new TypeError(`Failed to execute 'structuredClone': ${text}`);
    error.code = "ERR_INVALID_ARG_TYPE";
    return error;
  };
  if (typeof options !== "object" && typeof options !== "function")
    throw invalid("Options cannot be converted to a dictionary");
  const { transfer } = options;
  if (transfer === undefined) return undefined;
  if (typeof transfer !== "object" || typeof transfer?.[Symbol.iterator] !== "function") {
    throw invalid("transfer in Options can not be converted to sequence.");
  }
  return transfer;
}

function serialize(value: unknown, transfer: unknown[] | undefined) {
  const result = loop.structuredClone(value, transfer);
  if (result[0]) return result[1];
  // The one proxy that is an ordinary object to programs.
  const { pack, unpack } = require("internal/worker/messaging/platform_objects");
  const packed = pack(value, transfer, undefined, globalThis.process?.env);
  if (packed !== value) {
    const again = loop.structuredClone(packed, transfer);
    if (again[0]) return unpack(again[1]);
  }
  throw dataCloneError(result[1], value);
}

/** The error for a value that the engine's serialiser refused with `message`. */
export function dataCloneError(message: string, value: unknown): Error {
  const { DOMException } = require("web/dom_exception");
  const text =
    message === "object could not be cloned" ? require("internal/v8/serializer").uncloneableMessage(value) : message;
  return new DOMException(text, "DataCloneError");
}
