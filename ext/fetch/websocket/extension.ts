/** What a server makes of a client's offers of permessage-deflate: RFC 7692, 7.1. */

/** How one direction is compressed: a window that messages share (its size as a power of two), or none that outlives a message. */
interface Window {
  bits: number;
  /** Memory level of zlib. */
  level: number;
}

/** `websocket.perMessageDeflate` of Bun.serve. */
export interface DeflateSettings {
  /** What is sent may be compressed. */
  compresses: boolean;
  /** Windows of connections; undefined: every message stands for itself. */
  out: Window | undefined;
  in: Window | undefined;
}

/** What both sides have agreed to. */
interface Agreement {
  /** The header's value. */
  text: string;
  keepOut: boolean;
  keepIn: boolean;
  bitsOut: number;
  levelOut: number;
  bitsIn: number;
}

const LARGEST: Window = { bits: 15, level: 8 };
/** Memory of a connection: for compressing... */
const outs = new Map<string, Window>([
  ["3KB", { bits: 9, level: 1 }],
  ["4KB", { bits: 9, level: 2 }],
  ["8KB", { bits: 10, level: 3 }],
  ["16KB", { bits: 11, level: 4 }],
  ["32KB", { bits: 12, level: 5 }],
  ["64KB", { bits: 13, level: 6 }],
  ["128KB", { bits: 14, level: 7 }],
  ["256KB", LARGEST],
  ["dedicated", LARGEST],
]);
/** ... and for decompressing. */
const ins = new Map<string, Window>([
  ["3KB", { bits: 11, level: 8 }],
  ["4KB", { bits: 12, level: 8 }],
  ["8KB", { bits: 13, level: 8 }],
  ["16KB", { bits: 14, level: 8 }],
  ["32KB", LARGEST],
  ["64KB", LARGEST],
  ["128KB", LARGEST],
  ["256KB", LARGEST],
  ["dedicated", LARGEST],
]);

/** One direction: `[used at all, window]`. */
function direction(value: unknown, name: string, sizes: Map<string, Window>): [boolean, Window | undefined] {
  if (value === undefined || value === null || value === false || value === "disable") return [false, undefined];
  if (value === true || value === "shared") return [true, undefined];
  const window = sizes.get(value as string);
  if (window === undefined) {
    const error: NodeError = new TypeError(
      `websocket expects a valid ${name} option, either "disable" "shared" "dedicated" "3KB" "4KB" "8KB" "16KB" "32KB" "64KB" "128KB" or "256KB"`,
    );
    error.code = "ERR_INVALID_ARG_TYPE";
    throw error;
  }
  return [true, window];
}

/** The option `perMessageDeflate`; what it says of a direction is checked. */
export type DeflateOption = boolean | { compress?: unknown; decompress?: unknown };

/** Reads the option; undefined: no compression. Throws for what it does not know. */
export function deflateSettings(option: DeflateOption | undefined): DeflateSettings | undefined {
  if (!option) return undefined;
  if (option === true) return { compresses: true, out: undefined, in: undefined };
  const [compresses, out] = direction(option.compress, "compress", outs);
  const [decompresses, window] = direction(option.decompress, "decompress", ins);
  return compresses || decompresses ? { compresses, out, in: window } : undefined;
}

/** The parameters of an offer; undefined where it is for something else or breaks the rules. */
function parameters(offer: string): Map<string, number> | undefined {
  const [name, ...rest] = offer.split(";").map((part) => part.trim().toLowerCase());
  if (name !== "permessage-deflate") return undefined;
  const found = new Map<string, number>();
  for (const parameter of rest) {
    const match = /^(client|server)_(?:(no_context_takeover)|max_window_bits(?:\s*=\s*("?)([89]|1[0-5])\3)?)$/.exec(
      parameter,
    );
    const key = match === null ? "" : `${match[1]}_${match[2] === undefined ? "bits" : "fresh"}`;
    if (match === null || found.has(key)) return undefined;
    // A server's bits need a value; a client's say that it knows the parameter.
    if (key === "server_bits" && match[4] === undefined) return undefined;
    found.set(key, match[4] === undefined ? 15 : Number(match[4]));
  }
  return found;
}

/** Takes the first of a client's offers (Sec-WebSocket-Extensions) that these settings can keep; undefined: no compression. */
export function negotiate(header: string, settings: DeflateSettings): Agreement | undefined {
  for (const offer of header.split(",")) {
    const offered = parameters(offer);
    if (offered === undefined) continue;
    const agreement: Agreement = {
      text: "permessage-deflate",
      keepOut: false,
      keepIn: false,
      bitsOut: 15,
      levelOut: 8,
      bitsIn: 15,
    };
    const clientBits = offered.get("client_bits");
    const serverBits = offered.get("server_bits");
    const window = settings.in;
    // A smaller window can be asked of those only who say that they can have one.
    if (window === undefined || offered.has("client_fresh") || (window.bits < 15 && clientBits === undefined)) {
      agreement.text += "; client_no_context_takeover";
    } else {
      agreement.keepIn = true;
      const bits = Math.min(window.bits, clientBits ?? 15);
      agreement.bitsIn = Math.max(bits, 9);
      if (bits < 15) agreement.text += `; client_max_window_bits=${bits}`;
    }
    const { out } = settings;
    if (out === undefined || offered.has("server_fresh")) {
      if (serverBits !== undefined && serverBits < 15) continue;
      agreement.text += "; server_no_context_takeover";
      if (serverBits !== undefined) agreement.text += "; server_max_window_bits=15";
    } else {
      const bits = Math.min(out.bits, serverBits ?? 15);
      // zlib makes no raw streams with a window of 256 bytes.
      if (bits < 9) continue;
      agreement.keepOut = true;
      agreement.bitsOut = bits;
      agreement.levelOut = out.level;
      if (bits < 15 || serverBits !== undefined) agreement.text += `; server_max_window_bits=${bits}`;
    }
    return agreement;
  }
  return undefined;
}
