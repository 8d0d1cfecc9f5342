/** node:stream/promises (https://nodejs.org/api/stream.html#streams-promises-api). */
import { finished } from "internal/streams/end_of_stream";
import { pipelinePromise } from "internal/streams/pipeline";

/** pipeline(...streams[, { signal, end }]): resolves with the value of a last async function. */
function pipeline(...streams: unknown[]): Promise<unknown> {
  return pipelinePromise(...streams);
}

export default { finished, pipeline };
