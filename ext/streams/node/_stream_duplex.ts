/** The deprecated module `_stream_duplex`: stream.Duplex alone. */
import stream from "node:stream";

process.emitWarning(
  "The _stream_duplex module is deprecated. Use `node:stream` instead.",
  "DeprecationWarning",
  "DEP0193",
);

export default (stream as { Duplex?: unknown }).Duplex;
