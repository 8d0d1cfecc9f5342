/** Node's internal/webstreams/adapters, as far as bao has it. */
export {
  newReadableStreamFromStreamReadable,
  newReadableWritablePairFromDuplex,
  newStreamDuplexFromReadableWritablePair,
  newStreamReadableFromReadableStream,
  newStreamWritableFromWritableStream,
  newWritableStreamFromStreamWritable,
} from "internal/streams/webstreams/adapters";
