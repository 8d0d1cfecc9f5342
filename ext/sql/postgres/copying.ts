/** COPY, as the server takes and gives its data. */

import type { CopyServer } from "internal/sql/adapter";
import type { Channel } from "internal/sql/channel";
import { postgresError } from "internal/sql/postgres/errors";
import * as Kind from "internal/sql/postgres/messages";
import { writeCopyFail } from "internal/sql/postgres/statements";
import type { Writer } from "internal/sql/postgres/writer";

/** A COPY that no stream was given for. */
export const copyError = (): Error =>
  postgresError(
    "COPY_NOT_SUPPORTED",
    "COPY ... FROM STDIN needs query.writable() and COPY ... TO STDOUT needs query.readable()",
  );

/** What the stream of a COPY does with the connection, as long as `isUnderWay`. */
export function copyServer(channel: Channel<unknown>, writer: Writer, isUnderWay: () => boolean): CopyServer {
  return {
    write: (chunk) => {
      if (!isUnderWay()) return undefined;
      writer.begin(Kind.COPY_DATA);
      writer.bytes(chunk);
      writer.end();
      channel.write();
      return channel.drained();
    },
    end: () => {
      if (!isUnderWay()) return;
      writer.begin(Kind.COPY_DONE);
      writer.end();
      channel.write();
    },
    fail: (reason) => {
      if (!isUnderWay()) return;
      writeCopyFail(writer, reason);
      channel.write();
    },
    pause: () => channel.pause(),
    resume: () => channel.resume(),
  };
}
