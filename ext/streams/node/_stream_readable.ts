/** The deprecated module `_stream_readable`: stream.Readable alone. */
import stream from "node:stream";

process.emitWarning(
  "The _stream_readable module is deprecated. Use `node:stream` instead.",
  "DeprecationWarning",
  "DEP0193",
);

export default (stream as { Readable?: unknown }).Readable;
