/** stream.addAbortSignal(): an AbortSignal that destroys a stream. */
import { codes, AbortError } from "internal/core/errors";
import type { Anything } from "internal/streams/types";
import { isNodeStream, isWebStream, kControllerErrorFunction } from "internal/streams/utils";

/** Returns `stream`; see Node's stream.addAbortSignal(signal, stream). */
export function addAbortSignal<T extends Anything>(signal: AbortSignal, stream: T): T {
  if (typeof signal !== "object" || !("aborted" in signal))
    throw new codes.ERR_INVALID_ARG_TYPE("signal", "AbortSignal", signal);
  if (!isNodeStream(stream) && !isWebStream(stream)) {
    throw new codes.ERR_INVALID_ARG_TYPE("stream", ["ReadableStream", "WritableStream", "Stream"], stream);
  }
  return addAbortSignalNoValidate(signal, stream);
}

export function addAbortSignalNoValidate<T extends Anything>(signal: AbortSignal, stream: T): T {
  if (typeof signal !== "object" || !("aborted" in signal)) return stream;

  const abort = isNodeStream(stream)
    ? () => {
        stream.destroy(new AbortError(undefined, { cause: signal.reason }));
      }
    : () => {
        (stream as { [kControllerErrorFunction](error: unknown): void })[kControllerErrorFunction](
          new AbortError(undefined, { cause: signal.reason }),
        );
      };

  if (signal.aborted) {
    abort();
  } else {
    const { addAbortListener } = require("node:events");
    const { eos } = require("internal/streams/end_of_stream");
    const disposable = addAbortListener(signal, abort);
    eos(stream, disposable[Symbol.dispose]);
  }
  return stream;
}
