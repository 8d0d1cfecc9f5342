/** Errors of a peer that breaks the rules, as the package `ws` has them. */

const STATUS = Symbol("status");

/** The close code that goes with an error. */
export function statusOf(error: unknown): number | undefined {
  return (error as { [STATUS]?: number })[STATUS];
}

function make(type: ErrorConstructor, message: string, status: number, code: string): Error {
  const error: NodeError = new type(message);
  error.code = code;
  Object.defineProperty(error, STATUS, { value: status });
  return error;
}

const frame = (text: string): string => `Invalid WebSocket frame: ${text}`;

export const errors = {
  reservedBits: () => make(RangeError, frame("RSV2 and RSV3 must be clear"), 1002, "WS_ERR_UNEXPECTED_RSV_2_3"),
  compressedBit: () => make(RangeError, frame("RSV1 must be clear"), 1002, "WS_ERR_UNEXPECTED_RSV_1"),
  opcode: (opcode: number) => make(RangeError, frame(`invalid opcode ${opcode}`), 1002, "WS_ERR_INVALID_OPCODE"),
  fragmented: () => make(RangeError, frame("FIN must be set"), 1002, "WS_ERR_EXPECTED_FIN"),
  controlLength: (size: number) =>
    make(RangeError, frame(`invalid payload length ${size}`), 1002, "WS_ERR_INVALID_CONTROL_PAYLOAD_LENGTH"),
  unmasked: () => make(RangeError, frame("MASK must be set"), 1002, "WS_ERR_EXPECTED_MASK"),
  masked: () => make(RangeError, frame("MASK must be clear"), 1002, "WS_ERR_UNEXPECTED_MASK"),
  tooLong: () =>
    make(
      RangeError,
      "Unsupported WebSocket frame: payload length > 2^53 - 1",
      1009,
      "WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH",
    ),
  tooLarge: () => make(RangeError, "Max payload size exceeded", 1009, "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH"),
  text: () => make(Error, frame("invalid UTF-8 sequence"), 1007, "WS_ERR_INVALID_UTF8"),
  closeCode: (code: number) =>
    make(RangeError, frame(`invalid status code ${code}`), 1002, "WS_ERR_INVALID_CLOSE_CODE"),
  chunks: () => make(RangeError, "Too many buffered chunks", 1008, "WS_ERR_TOO_MANY_BUFFERED_PARTS"),
  fragments: () => make(RangeError, "Too many message fragments", 1008, "WS_ERR_TOO_MANY_BUFFERED_PARTS"),
  /** Compressed data that cannot be read. */
  data: (error: Error) => make(Error, error.message, 1007, (error as NodeError).code ?? "Z_DATA_ERROR"),
};
