// The tags of V8's wire format for values (`v8.serialize`), version 15, which Node 20 and later write. Written from the
// format's observable behaviour; numbers are char codes.

/** The version that is written, and the newest that is read. */
export const VERSION = 15;
export const VERSION_TAG = 0xff;

export const PADDING = 0;
export const OBJECT_COUNT = 63; // ?
export const HOLE = 45; // -
export const UNDEFINED = 95; // _
export const NULL = 48; // 0
export const TRUE = 84; // T
export const FALSE = 70; // F
export const INT32 = 73; // I
export const UINT32 = 85; // U
export const DOUBLE = 78; // N
export const BIGINT = 90; // Z
export const UTF8_STRING = 83; // S
export const LATIN1_STRING = 34; // "
export const UTF16_STRING = 99; // c
export const REFERENCE = 94; // ^
export const OBJECT = 111; // o
export const OBJECT_END = 123; // {
export const SPARSE_ARRAY = 97; // a
export const SPARSE_ARRAY_END = 64; // @
export const DENSE_ARRAY = 65; // A
export const DENSE_ARRAY_END = 36; // $
export const DATE = 68; // D
export const TRUE_OBJECT = 121; // y
export const FALSE_OBJECT = 120; // x
export const NUMBER_OBJECT = 110; // n
export const BIGINT_OBJECT = 122; // z
export const STRING_OBJECT = 115; // s
export const REGEXP = 82; // R
export const MAP = 59; // ;
export const MAP_END = 58; // :
export const SET = 39; // '
export const SET_END = 44; // ,
export const ARRAY_BUFFER = 66; // B
export const RESIZABLE_BUFFER = 126; // ~
export const TRANSFERRED_BUFFER = 116; // t
export const SHARED_BUFFER = 117; // u
export const VIEW = 86; // V
export const HOST_OBJECT = 92; // \
export const ERROR = 114; // r

export const ERROR_MESSAGE = 109; // m
export const ERROR_CAUSE = 99; // c
export const ERROR_STACK = 115; // s
export const ERROR_END = 46; // .

/** Prototypes of errors by tag; a plain Error has none. */
export const errorNames: [number, string][] = [
  [69, "EvalError"],
  [82, "RangeError"],
  [70, "ReferenceError"],
  [83, "SyntaxError"],
  [84, "TypeError"],
  [85, "URIError"],
];

/** Views by tag. */
export const viewNames: [number, string][] = [
  [98, "Int8Array"],
  [66, "Uint8Array"],
  [67, "Uint8ClampedArray"],
  [119, "Int16Array"],
  [87, "Uint16Array"],
  [100, "Int32Array"],
  [68, "Uint32Array"],
  [104, "Float16Array"],
  [102, "Float32Array"],
  [70, "Float64Array"],
  [113, "BigInt64Array"],
  [81, "BigUint64Array"],
  [63, "DataView"],
];

/** Flags of a view: it follows the length of its buffer; its buffer is resizable. */
export const VIEW_LENGTH_TRACKING = 1;
export const VIEW_RESIZABLE = 2;

/** Flags of regular expressions by bit. */
export const regexpFlags = ["g", "i", "m", "y", "u", "s", "l", "d", "v"];
