/** The beginning of a connection: greeting, TLS, authentication. */

import { type Options, TLS_DISABLE, TLS_PREFER } from "internal/sql/adapter";
import { nameRefused } from "internal/sql/errors";
import { type Circumstances, type Exchange, exchangeOf, isKnown } from "internal/sql/mysql/auth";
import { mysqlError, ProtocolError } from "internal/sql/mysql/error";
import {
  agree,
  type Agreement,
  type Greeting,
  readError,
  readGreeting,
  readStatus,
  readSwitch,
  writeAnswer,
  writeTlsRequest,
} from "internal/sql/mysql/handshake";
import type { Reader, Writer } from "internal/sql/mysql/packets";
import { CLIENT_SSL, EOF, ERR, OK } from "internal/sql/mysql/protocol";
import type { Wire } from "internal/sql/mysql/wire";

/** Packets of an authentication, beyond which a server only keeps the client busy. */
const MAX_AUTH_PACKETS = 16;

/** A packet of the authentication that says more. */
const MORE = 1;

interface Means {
  options: Options;
  password: string;
  wire: Wire;
  writer: Writer;
  /** Writes what has been made. */
  flush(): void;
  /** The login cannot go on. */
  failed(error: unknown): void;
}

export class Login {
  greeting: Greeting | undefined = undefined;
  agreement: Agreement = { capabilities: 0, extended: 0 };
  /** Of the server, at the end. */
  status = 0;
  /** The connection becomes TLS: the server must not speak. */
  isSecuring = false;
  #means: Means;
  #exchange: Exchange | undefined = undefined;
  #packets = 0;

  constructor(means: Means) {
    this.#means = means;
  }

  /** Takes the packet that the reader is at. True: the server has let us in. */
  packet(reader: Reader): boolean {
    if (this.isSecuring) throw new ProtocolError("UNEXPECTED_PACKET", "The server speaks before TLS does");
    if (this.greeting !== undefined) return this.#authenticate(reader);
    this.#greet(reader);
    return false;
  }

  #greet(reader: Reader): void {
    const { options, wire, writer, flush, failed } = this.#means;
    const { sslMode, database, foundRows } = options;
    const greeting = readGreeting(reader);
    this.greeting = greeting;
    const hasTls = (greeting.capabilities & CLIENT_SSL) !== 0;
    if (sslMode > TLS_PREFER && !hasTls) {
      throw mysqlError("AUTHENTICATION_FAILED", "The server does not support TLS, which the options require");
    }
    const isTls = sslMode !== TLS_DISABLE && hasTls;
    this.agreement = agree(greeting, isTls, database !== "", foundRows);
    if (!isTls) return this.#answer(1);
    // Somebody between could have put it there.
    if (reader.hasRest) throw new ProtocolError("UNEXPECTED_PACKET", "The server speaks before TLS does");
    this.isSecuring = true;
    writeTlsRequest(writer, this.agreement, 1);
    flush();
    wire.secure(options, () => {
      try {
        this.isSecuring = false;
        this.#answer(2);
      } catch (error) {
        failed(error);
      }
    });
  }

  #circumstances(): Circumstances {
    const { options, password, wire } = this.#means;
    const { path, allowPublicKeyRetrieval } = options;
    const { isTls } = wire;
    return { password, isTls, isSecret: isTls || path !== undefined, allowPublicKeyRetrieval };
  }

  #answer(sequence: number): void {
    const { options, writer, flush } = this.#means;
    const { username, database } = options;
    const greeting = this.greeting!;
    // The server switches to the user's own plugin; what it names is only its usual one.
    const plugin =
      isKnown(greeting.plugin) && greeting.plugin !== "mysql_clear_password"
        ? greeting.plugin
        : "mysql_native_password";
    this.#exchange = exchangeOf(plugin, this.#circumstances(), greeting.data);
    const login = { username, database, plugin, proof: this.#exchange.first() };
    writeAnswer(writer, this.agreement, login, sequence);
    flush();
  }

  #authenticate(reader: Reader): boolean {
    if (++this.#packets > MAX_AUTH_PACKETS)
      throw new ProtocolError("UNEXPECTED_PACKET", "The server never ends to authenticate");
    const { sequence } = reader;
    switch (reader.uint8()) {
      case OK:
        this.status = readStatus(reader);
        return true;
      case ERR: {
        const refused = readError(reader);
        nameRefused(refused, this.#means.options);
        throw refused;
      }
      case EOF: {
        const { plugin, data } = readSwitch(reader);
        this.#exchange = exchangeOf(plugin, this.#circumstances(), data);
        this.#prove(this.#exchange.first(), sequence + 1);
        return false;
      }
      case MORE: {
        const proof = this.#exchange!.more(reader.rest());
        if (proof !== undefined) this.#prove(proof, sequence + 1);
        return false;
      }
      default:
        throw new ProtocolError("UNEXPECTED_PACKET", "The server answers the authentication with something else");
    }
  }

  #prove(proof: Uint8Array, sequence: number): void {
    const { writer, flush } = this.#means;
    writer.begin(sequence & 0xff);
    writer.raw(proof);
    writer.end();
    flush();
  }
}
