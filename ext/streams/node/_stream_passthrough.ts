/** The deprecated module `_stream_passthrough`: stream.PassThrough alone. */
import stream from "node:stream";

process.emitWarning(
  "The _stream_passthrough module is deprecated. Use `node:stream` instead.",
  "DeprecationWarning",
  "DEP0193",
);

export default (stream as { PassThrough?: unknown }).PassThrough;
