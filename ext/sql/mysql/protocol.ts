/**
 * Numbers of the client/server protocol of MySQL and MariaDB:
 * https://dev.mysql.com/doc/dev/mysql-server/latest/PAGE_PROTOCOL.html, https://mariadb.com/kb/en/clientserver-protocol/
 */

// Capabilities.
export const CLIENT_LONG_PASSWORD = 1;
export const CLIENT_FOUND_ROWS = 1 << 1;
export const CLIENT_LONG_FLAG = 1 << 2;
export const CLIENT_CONNECT_WITH_DB = 1 << 3;
export const CLIENT_PROTOCOL_41 = 1 << 9;
export const CLIENT_SSL = 1 << 11;
export const CLIENT_TRANSACTIONS = 1 << 13;
export const CLIENT_SECURE_CONNECTION = 1 << 15;
export const CLIENT_MULTI_STATEMENTS = 1 << 16;
export const CLIENT_MULTI_RESULTS = 1 << 17;
export const CLIENT_PS_MULTI_RESULTS = 1 << 18;
export const CLIENT_PLUGIN_AUTH = 1 << 19;
export const CLIENT_CONNECT_ATTRS = 1 << 20;
export const CLIENT_PLUGIN_AUTH_LENENC_DATA = 1 << 21;
export const CLIENT_DEPRECATE_EOF = 1 << 24;

// MariaDB's own, counted from bit 32 on.
export const MARIADB_EXTENDED_METADATA = 1 << 3;
export const MARIADB_CACHE_METADATA = 1 << 4;

// Commands.
export const COM_QUIT = 0x01;
export const COM_QUERY = 0x03;
export const COM_STMT_PREPARE = 0x16;
export const COM_STMT_EXECUTE = 0x17;
export const COM_STMT_CLOSE = 0x19;
export const COM_STMT_FETCH = 0x1c;

// What COM_STMT_EXECUTE opens.
export const CURSOR_TYPE_NONE = 0;
export const CURSOR_TYPE_READ_ONLY = 1;

// First bytes of answers.
export const OK = 0x00;
export const LOCAL_INFILE = 0xfb;
export const EOF = 0xfe;
export const ERR = 0xff;

// Status of the server.
export const STATUS_IN_TRANSACTION = 0x0001;
export const STATUS_MORE_RESULTS = 0x0008;
export const STATUS_CURSOR_EXISTS = 0x0040;
export const STATUS_LAST_ROW_SENT = 0x0080;

// Types of columns and parameters.
export const TYPE_DECIMAL = 0x00;
export const TYPE_TINY = 0x01;
export const TYPE_SHORT = 0x02;
export const TYPE_LONG = 0x03;
export const TYPE_FLOAT = 0x04;
export const TYPE_DOUBLE = 0x05;
export const TYPE_NULL = 0x06;
export const TYPE_TIMESTAMP = 0x07;
export const TYPE_LONGLONG = 0x08;
export const TYPE_INT24 = 0x09;
export const TYPE_DATE = 0x0a;
export const TYPE_TIME = 0x0b;
export const TYPE_DATETIME = 0x0c;
export const TYPE_YEAR = 0x0d;
export const TYPE_VARCHAR = 0x0f;
export const TYPE_BIT = 0x10;
export const TYPE_JSON = 0xf5;
export const TYPE_NEWDECIMAL = 0xf6;
export const TYPE_ENUM = 0xf7;
export const TYPE_SET = 0xf8;
export const TYPE_TINY_BLOB = 0xf9;
export const TYPE_MEDIUM_BLOB = 0xfa;
export const TYPE_LONG_BLOB = 0xfb;
export const TYPE_BLOB = 0xfc;
export const TYPE_VAR_STRING = 0xfd;
export const TYPE_STRING = 0xfe;
export const TYPE_GEOMETRY = 0xff;

/** Flag of a column whose numbers have no sign. */
export const FLAG_UNSIGNED = 1 << 5;

/** Of bytes that are no text. */
export const CHARSET_BINARY = 63;
/** utf8mb4_general_ci, which every server since 5.5 has. */
export const CHARSET_UTF8MB4 = 45;

/** The longest payload of one packet; a packet of that length is continued by the next. */
export const MAX_PAYLOAD = 0xffffff;

// Numbers of the server's errors.
export const ER_PARSE_ERROR = 1064;
export const ER_SYNTAX_ERROR = 1149;
export const ER_UNKNOWN_SYSTEM_VARIABLE = 1193;

/** The server ends the connection behind these: forced close, shutdown, network errors, killed, idle for too long. */
export const FATAL_ERRORS: ReadonlySet<number> = new Set([
  1053, 1080, 1152, 1153, 1156, 1157, 1158, 1159, 1160, 1161, 1184, 1927, 4031,
]);
