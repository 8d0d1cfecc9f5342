/** permessage-deflate as the package `ws` negotiates it (RFC 7692). */

import { Deflate } from "internal/fetch/websocket/frames";
import type { Parameters } from "internal/ws/header";
import type { DeflateOptions } from "internal/ws/types";

export const DEFLATE = "permessage-deflate";
/** Without a window that messages share, smaller ones are not worth compressing. */
const THRESHOLD = 1024;
const DEFAULT_LEVEL = 8;

/** Parameters of an offer or an answer; bits are `true` where a client only says that it knows them. */
interface Agreed {
  server_no_context_takeover?: true;
  client_no_context_takeover?: true;
  server_max_window_bits?: number;
  client_max_window_bits?: number | true;
}

type DeflateSettings = DeflateOptions & { isServer: boolean; maxPayload?: number };

function invalid(name: string, value: unknown): TypeError {
  return new TypeError(`Invalid value for parameter "${name}": ${value}`);
}

/** The values of one offer, checked. Throws for parameters that the extension does not have. */
function checked(offer: Parameters, isServer: boolean): Agreed {
  const agreed: Record<string, unknown> = {};
  for (const [name, values] of Object.entries(offer)) {
    if (values.length > 1) throw new Error(`Parameter "${name}" must have only a single value`);
    const value = values[0];
    if (name === "client_max_window_bits" || name === "server_max_window_bits") {
      const bits = Number(value);
      const bare = value === true && name === "client_max_window_bits" && isServer;
      if (!bare && (value === true || !Number.isInteger(bits) || bits < 8 || bits > 15)) throw invalid(name, value);
      agreed[name] = bare ? true : bits;
    } else if (name === "client_no_context_takeover" || name === "server_no_context_takeover") {
      if (value !== true) throw invalid(name, value);
      agreed[name] = true;
    } else {
      throw new Error(`Unknown parameter "${name}"`);
    }
  }
  return agreed as Agreed;
}

/** One side of the extension: what it offers or accepts, and the compression that comes of it. */
export class PerMessageDeflate {
  static get extensionName(): string {
    return DEFLATE;
  }

  params: Agreed | null = null;
  #options: Partial<DeflateSettings>;
  #stream: Deflate | undefined = undefined;

  constructor(options: Partial<DeflateSettings> = {}) {
    this.#options = options;
  }

  /** What a client asks for. */
  offer(): Record<string, unknown> {
    const { serverNoContextTakeover, clientNoContextTakeover, serverMaxWindowBits, clientMaxWindowBits } =
      this.#options;
    const params: Record<string, unknown> = {};
    if (serverNoContextTakeover) params.server_no_context_takeover = true;
    if (clientNoContextTakeover) params.client_no_context_takeover = true;
    if (serverMaxWindowBits) params.server_max_window_bits = serverMaxWindowBits;
    if (clientMaxWindowBits) params.client_max_window_bits = clientMaxWindowBits;
    else if (clientMaxWindowBits === undefined || clientMaxWindowBits === null) params.client_max_window_bits = true;
    return params;
  }

  /** Takes a client's offers, or the server's answer. Throws where there is nothing to agree on. */
  accept(offers: Parameters[]): Agreed {
    const { isServer } = this.#options;
    const all = offers.map((offer) => checked(offer, Boolean(isServer)));
    return (this.params = isServer ? this.#choose(all) : this.#agree(all[0]!));
  }

  #choose(offers: Agreed[]): Agreed {
    const options = this.#options;
    const fits = offers.find((offer) => {
      const serverBits = offer.server_max_window_bits;
      if (options.serverNoContextTakeover === false && offer.server_no_context_takeover) return false;
      if (
        serverBits !== undefined &&
        (options.serverMaxWindowBits === false ||
          (typeof options.serverMaxWindowBits === "number" && options.serverMaxWindowBits > serverBits))
      )
        return false;
      return !(typeof options.clientMaxWindowBits === "number" && offer.client_max_window_bits === undefined);
    });
    if (fits === undefined) throw new Error("None of the extension offers can be accepted");
    const agreed = { ...fits };
    if (options.serverNoContextTakeover) agreed.server_no_context_takeover = true;
    if (options.clientNoContextTakeover) agreed.client_no_context_takeover = true;
    if (typeof options.serverMaxWindowBits === "number") agreed.server_max_window_bits = options.serverMaxWindowBits;
    if (typeof options.clientMaxWindowBits === "number") agreed.client_max_window_bits = options.clientMaxWindowBits;
    else if (agreed.client_max_window_bits === true || options.clientMaxWindowBits === false)
      delete agreed.client_max_window_bits;
    return agreed;
  }

  #agree(answer: Agreed): Agreed {
    const { clientNoContextTakeover, clientMaxWindowBits } = this.#options;
    if (clientNoContextTakeover === false && answer.client_no_context_takeover)
      throw new Error('Unexpected parameter "client_no_context_takeover"');
    const bits = answer.client_max_window_bits;
    if (bits === undefined) {
      if (typeof clientMaxWindowBits === "number") answer.client_max_window_bits = clientMaxWindowBits;
    } else if (
      clientMaxWindowBits === false ||
      (typeof clientMaxWindowBits === "number" && (bits as number) > clientMaxWindowBits)
    ) {
      throw new Error('Unexpected or invalid parameter "client_max_window_bits"');
    }
    return answer;
  }

  /** Whether a message whose first part has `size` bytes is compressed. */
  worthwhile(size: number): boolean {
    const own = this.#options.isServer ? "server_no_context_takeover" : "client_no_context_takeover";
    return !this.params![own] || size >= (this.#options.threshold ?? THRESHOLD);
  }

  get stream(): Deflate {
    const params = this.params!;
    const { isServer, zlibDeflateOptions } = this.#options;
    const server = { keep: !params.server_no_context_takeover, bits: params.server_max_window_bits ?? 15 };
    const client = { keep: !params.client_no_context_takeover, bits: Number(params.client_max_window_bits ?? 15) };
    const [out, from] = isServer ? [server, client] : [client, server];
    // zlib makes no raw streams with a window of 256 bytes; what was made with one is read with any.
    return (this.#stream ??= new Deflate(
      out.keep,
      from.keep,
      Math.max(out.bits, 9),
      zlibDeflateOptions?.memLevel ?? DEFAULT_LEVEL,
      Math.max(from.bits, 9),
      zlibDeflateOptions?.level,
    ));
  }

  /** Frees the windows. */
  cleanup(): void {
    this.#stream?.close();
    this.#stream = undefined;
  }
}

/** The negotiated extensions of a connection, by name. */
export interface Extensions {
  [DEFLATE]?: PerMessageDeflate;
}
