/** The first packets of a connection: the server's greeting and the client's answer. */

import { mysqlError, serverError } from "internal/sql/mysql/error";
import type { MySQLError } from "internal/sql/errors";
import type { Reader, Writer } from "internal/sql/mysql/packets";
import {
  CHARSET_UTF8MB4,
  CLIENT_CONNECT_ATTRS,
  CLIENT_CONNECT_WITH_DB,
  CLIENT_DEPRECATE_EOF,
  CLIENT_FOUND_ROWS,
  CLIENT_LONG_FLAG,
  CLIENT_LONG_PASSWORD,
  CLIENT_MULTI_RESULTS,
  CLIENT_MULTI_STATEMENTS,
  CLIENT_PLUGIN_AUTH,
  CLIENT_PLUGIN_AUTH_LENENC_DATA,
  CLIENT_PROTOCOL_41,
  CLIENT_PS_MULTI_RESULTS,
  CLIENT_SECURE_CONNECTION,
  CLIENT_SSL,
  CLIENT_TRANSACTIONS,
  MARIADB_CACHE_METADATA,
  MARIADB_EXTENDED_METADATA,
} from "internal/sql/mysql/protocol";

/** What both sides can be asked for. */
const WANTED =
  CLIENT_LONG_PASSWORD |
  CLIENT_LONG_FLAG |
  CLIENT_PROTOCOL_41 |
  CLIENT_TRANSACTIONS |
  CLIENT_SECURE_CONNECTION |
  CLIENT_MULTI_STATEMENTS |
  CLIENT_MULTI_RESULTS |
  CLIENT_PS_MULTI_RESULTS |
  CLIENT_PLUGIN_AUTH |
  CLIENT_PLUGIN_AUTH_LENENC_DATA |
  CLIENT_CONNECT_ATTRS |
  CLIENT_DEPRECATE_EOF;

export interface Greeting {
  version: string;
  /** Of the connection, by which KILL names it. */
  thread: number;
  capabilities: number;
  /** MariaDB's, from bit 32 on. */
  extended: number;
  plugin: string;
  /** What the plugin is given. */
  data: Buffer;
}

/** An ERR packet; `at` is behind its first byte. */
export function readError(reader: Reader): MySQLError {
  const errno = reader.uint16();
  let sqlState: string | undefined;
  if (reader.bytes[reader.at] === 0x23 /* # */ && reader.end - reader.at >= 6) {
    sqlState = reader.bytes.latin1Slice(reader.at + 1, reader.at + 6);
    reader.skip(6);
  }
  return serverError(errno, sqlState, reader.rest().toString());
}

/** The status that an OK packet tells, behind its first byte. */
export function readStatus(reader: Reader): number {
  reader.bigLength();
  reader.bigLength();
  // Servers that are not quite MySQL may end here.
  return reader.end - reader.at >= 2 ? reader.uint16() : 0;
}

/** Throws MySQLError for a server that is too old or that refuses. */
export function readGreeting(reader: Reader): Greeting {
  const version = reader.uint8();
  if (version === 0xff) throw readError(reader);
  if (version !== 10)
    throw mysqlError("UNSUPPORTED_PROTOCOL_VERSION", `The server speaks version ${version} of the protocol`);
  const greeting: Greeting = {
    version: reader.zeroText(),
    thread: reader.uint32(),
    capabilities: 0,
    extended: 0,
    plugin: "",
    data: Buffer.alloc(0),
  };
  const first = reader.bytes.subarray(reader.at, reader.at + 8);
  reader.skip(9);
  greeting.capabilities = reader.uint16();
  reader.skip(3);
  greeting.capabilities |= reader.uint16() << 16;
  const length = reader.uint8();
  reader.skip(6);
  const extended = reader.uint32();
  // A server without the first capability is MariaDB, and has more in what is reserved.
  if ((greeting.capabilities & CLIENT_LONG_PASSWORD) === 0) greeting.extended = extended;
  const rest = Math.min(Math.max(13, length - 8), reader.end - reader.at);
  const second = reader.bytes.subarray(reader.at, reader.at + rest);
  reader.skip(rest);
  greeting.data = Buffer.concat([first, second]);
  if ((greeting.capabilities & CLIENT_PLUGIN_AUTH) !== 0) greeting.plugin = reader.zeroText();
  if ((greeting.capabilities & CLIENT_PROTOCOL_41) === 0) {
    throw mysqlError("UNSUPPORTED_PROTOCOL_VERSION", "The server is older than MySQL 4.1");
  }
  return greeting;
}

/** What the connection will have. */
export interface Agreement {
  capabilities: number;
  extended: number;
}

export function agree(greeting: Greeting, isTls: boolean, hasDatabase: boolean, foundRows: boolean): Agreement {
  let wanted = WANTED;
  if (isTls) wanted |= CLIENT_SSL;
  if (foundRows) wanted |= CLIENT_FOUND_ROWS;
  if (hasDatabase) wanted |= CLIENT_CONNECT_WITH_DB;
  let capabilities = wanted & (greeting.capabilities | CLIENT_LONG_PASSWORD);
  let extended = 0;
  const isMariaDB = (greeting.capabilities & CLIENT_LONG_PASSWORD) === 0;
  if (isMariaDB && greeting.extended !== 0) {
    // The bit says that the client is MySQL's, whose reserved bytes say nothing.
    capabilities &= ~CLIENT_LONG_PASSWORD;
    extended = greeting.extended & (MARIADB_EXTENDED_METADATA | MARIADB_CACHE_METADATA);
  }
  return { capabilities, extended };
}

function writeHead(writer: Writer, { capabilities, extended }: Agreement): void {
  writer.uint32(capabilities);
  writer.uint32(0x100_0000);
  writer.uint8(CHARSET_UTF8MB4);
  writer.zeros(19);
  writer.uint32(extended);
}

/** Asks for TLS: the first part of the answer. */
export function writeTlsRequest(writer: Writer, agreement: Agreement, sequence: number): void {
  writer.begin(sequence);
  writeHead(writer, agreement);
  writer.end();
}

interface Login {
  username: string;
  database: string;
  plugin: string;
  proof: Uint8Array;
}

export function writeAnswer(writer: Writer, agreement: Agreement, login: Login, sequence: number): void {
  const { capabilities } = agreement;
  const { username, database, plugin, proof } = login;
  writer.begin(sequence);
  writeHead(writer, agreement);
  writer.zeroText(username);
  if ((capabilities & CLIENT_PLUGIN_AUTH_LENENC_DATA) !== 0) writer.blob(proof);
  else {
    if (proof.length > 0xff)
      throw mysqlError("AUTHENTICATION_FAILED", "The password is longer than the server can take");
    writer.uint8(proof.length);
    writer.raw(proof);
  }
  if ((capabilities & CLIENT_CONNECT_WITH_DB) !== 0) writer.zeroText(database);
  if ((capabilities & CLIENT_PLUGIN_AUTH) !== 0) writer.zeroText(plugin);
  if ((capabilities & CLIENT_CONNECT_ATTRS) !== 0) {
    const attributes = {
      _client_name: "bao",
      _client_version: process.version,
      _os: process.platform,
      _pid: String(process.pid),
    };
    const pairs = Object.entries(attributes);
    // All of these are shorter than 251 bytes.
    writer.length64(pairs.reduce((sum, [name, value]) => sum + name.length + value.length + 2, 0));
    for (const [name, value] of pairs) {
      writer.value(name);
      writer.value(value);
    }
  }
  if (!writer.end()) throw mysqlError("OVERFLOW", "User name, password and database are too long");
}

/** A switch to another plugin; `at` is behind the first byte. */
export function readSwitch(reader: Reader): { plugin: string; data: Buffer } {
  if (reader.at === reader.end) {
    throw mysqlError("UNSUPPORTED_AUTH_PLUGIN", "The server asks for the password's hash of before MySQL 4.1");
  }
  const plugin = reader.zeroText();
  return { plugin, data: reader.rest() };
}
