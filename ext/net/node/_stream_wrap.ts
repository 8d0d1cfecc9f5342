/** The deprecated module `_stream_wrap`: sockets whose bytes are those of a stream. */
import { JSStreamSocket } from "internal/net/tls/socket";

process.emitWarning(
  "The _stream_wrap module is deprecated. Use `node:stream` instead.",
  "DeprecationWarning",
  "DEP0125",
);

export default JSStreamSocket;
