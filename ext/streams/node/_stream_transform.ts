/** The deprecated module `_stream_transform`: stream.Transform alone. */
import stream from "node:stream";

process.emitWarning(
  "The _stream_transform module is deprecated. Use `node:stream` instead.",
  "DeprecationWarning",
  "DEP0193",
);

export default (stream as { Transform?: unknown }).Transform;
