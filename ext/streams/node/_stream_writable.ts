/** The deprecated module `_stream_writable`: stream.Writable alone. */
import stream from "node:stream";

process.emitWarning(
  "The _stream_writable module is deprecated. Use `node:stream` instead.",
  "DeprecationWarning",
  "DEP0193",
);

export default (stream as { Writable?: unknown }).Writable;
