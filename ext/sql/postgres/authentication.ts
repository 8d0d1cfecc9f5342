/** How a client tells who it is (https://www.postgresql.org/docs/current/sasl-authentication.html). */

import type { Options } from "internal/sql/adapter";
import { postgresError } from "internal/sql/postgres/errors";
import * as Kind from "internal/sql/postgres/messages";
import { md5Password, Scram } from "internal/sql/postgres/scram";
import { bindingOf, type Socket } from "internal/sql/postgres/socket";
import type { Writer } from "internal/sql/postgres/writer";

/** Version 3.0 of the protocol. */
const PROTOCOL = 196_608;

/** The first message: who we are, which database, and settings of the session. */
export function writeStart(writer: Writer, { username, database, connection }: Options): void {
  writer.begin(0);
  writer.int32(PROTOCOL);
  const settings: Record<string, string> = { user: username, database, client_encoding: "UTF8", ...connection };
  for (const [name, value] of Object.entries(settings)) {
    writer.cstring(name);
    writer.cstring(value);
  }
  writer.byte(0);
  writer.end();
}

/** What an authentication needs of its connection. */
interface Owner {
  readonly options: Options;
  readonly socket: Socket;
  /** The connection is one of TLS. */
  readonly isSecure: boolean;
  readonly writer: Writer;
  /** Sends what has been written. */
  write(): void;
}

export class Authentication {
  #options: Options;
  #owner: Owner;
  #writer: Writer;
  #scram: Scram | undefined = undefined;

  constructor(owner: Owner) {
    this.#owner = owner;
    this.#options = owner.options;
    this.#writer = owner.writer;
  }

  #sendPassword(text: string): void {
    this.#writer.begin(Kind.PASSWORD);
    this.#writer.cstring(text);
    this.#writer.end();
    this.#owner.write();
  }

  async #password(): Promise<string> {
    const { password } = this.#options;
    const value = typeof password === "function" ? await password() : password;
    if (typeof value !== "string") throw postgresError("INVALID_PASSWORD", "The password must be a string");
    return value;
  }

  /** What the server asks of us to know who we are. */
  async take(body: Buffer): Promise<void> {
    const kind = body.readInt32BE(0);
    switch (kind) {
      case 0:
        if (this.#options.channelBinding === "require" && this.#scram?.mechanism !== "SCRAM-SHA-256-PLUS") {
          throw postgresError("CHANNEL_BINDING_REQUIRED", "The server did not authenticate with channel binding");
        }
        return;
      case 3:
        return this.#sendPassword(await this.#password());
      case 5:
        return this.#sendPassword(md5Password(this.#options.username, await this.#password(), body.subarray(4, 8)));
      case 10:
        return this.#startScram(body.latin1Slice(4).split("\0"));
      case 11: {
        if (this.#scram === undefined)
          throw postgresError("UNEXPECTED_MESSAGE", "The server continues what has not begun");
        const text = await this.#scram.final(body.utf8Slice(4), await this.#password());
        this.#writer.begin(Kind.PASSWORD);
        this.#writer.text(text);
        this.#writer.end();
        return this.#owner.write();
      }
      case 12:
        this.#scram?.verify(body.utf8Slice(4));
        return;
      default:
        throw postgresError("UNKNOWN_AUTHENTICATION_METHOD", `Unknown authentication method ${kind}`);
    }
  }

  #startScram(mechanisms: string[]): void {
    const { channelBinding } = this.#options;
    const canBind = this.#owner.isSecure && channelBinding !== "disable";
    const binding = canBind && mechanisms.includes("SCRAM-SHA-256-PLUS") ? bindingOf(this.#owner.socket) : undefined;
    if (binding === undefined && channelBinding === "require") {
      throw postgresError("CHANNEL_BINDING_REQUIRED", "The server does not offer channel binding");
    }
    if (binding === undefined && !mechanisms.includes("SCRAM-SHA-256")) {
      throw postgresError("UNSUPPORTED_AUTHENTICATION_METHOD", "The server offers no authentication that is known");
    }
    // Without a TLS connection, or if binding is off, nothing is said of it.
    const scram = new Scram(binding, canBind && !mechanisms.includes("SCRAM-SHA-256-PLUS"));
    this.#scram = scram;
    const writer = this.#writer;
    writer.begin(Kind.PASSWORD);
    writer.cstring(scram.mechanism);
    writer.sized(scram.first);
    writer.end();
    this.#owner.write();
  }
}
