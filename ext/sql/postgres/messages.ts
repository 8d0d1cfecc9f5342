/** Kinds of messages (https://www.postgresql.org/docs/current/protocol-message-formats.html). */

// What the client sends.
export const BIND = 66;
export const CLOSE = 67;
export const DESCRIBE = 68;
export const EXECUTE = 69;
export const FLUSH = 72;
export const PARSE = 80;
export const QUERY = 81;
export const SYNC = 83;
export const TERMINATE = 88;
export const COPY_FAIL = 102;
export const PASSWORD = 112;

// What the server sends.
export const PARSE_COMPLETE = 49;
export const NOTIFICATION = 65;
export const COMMAND_COMPLETE = 67;
export const DATA_ROW = 68;
export const ERROR = 69;
export const COPY_IN = 71;
export const COPY_OUT = 72;
export const EMPTY_QUERY = 73;
export const KEY_DATA = 75;
export const AUTHENTICATION = 82;
export const ROWS = 84;
export const COPY_BOTH = 87;
export const READY = 90;
export const COPY_DONE = 99;
export const COPY_DATA = 100;
export const NO_DATA = 110;
export const SUSPENDED = 115;
export const PARAMETERS = 116;
