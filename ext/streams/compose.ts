/** stream.compose(): several streams as one Duplex, which writes to the first and reads from the last. */
import { codes, AbortError } from "internal/core/errors";
import { Duplex } from "internal/streams/duplex";
import { destroyer } from "internal/streams/destroy";
import { eos } from "internal/streams/end_of_stream";
import { pipelineOf } from "internal/streams/pipeline";
import {
  isNodeStream,
  isReadable,
  isReadableStream,
  isTransformStream,
  isWebStream,
  isWritable,
  isWritableStream,
} from "internal/streams/utils";

const canRead = (stream: any) => Boolean(isReadable(stream) || isReadableStream(stream) || isTransformStream(stream));
const canWrite = (stream: any) => Boolean(isWritable(stream) || isWritableStream(stream) || isTransformStream(stream));

/** See https://nodejs.org/api/stream.html#streamcomposestreams. */
export function compose(...streams: any[]): any {
  if (streams.length === 0) throw new codes.ERR_MISSING_ARGS("streams");
  if (streams.length === 1) return (Duplex as any).from(streams[0]);

  const given = streams.slice();
  const last = streams.length - 1;
  if (typeof streams[0] === "function") streams[0] = (Duplex as any).from(streams[0]);
  if (typeof streams[last] === "function") streams[last] = (Duplex as any).from(streams[last]);

  for (let i = 0; i <= last; i++) {
    if (!isNodeStream(streams[i]) && !isWebStream(streams[i])) continue;
    if (i < last && !canRead(streams[i])) {
      throw new codes.ERR_INVALID_ARG_VALUE(`streams[${i}]`, given[i], "must be readable");
    }
    if (i > 0 && !canWrite(streams[i])) {
      throw new codes.ERR_INVALID_ARG_VALUE(`streams[${i}]`, given[i], "must be writable");
    }
  }

  // Callbacks of the duplex's own methods that wait for something inside.
  let onDrain: any;
  let onFinish: any;
  let onReadable: any;
  // null once the pipeline is through.
  let onClose: any;

  const head = streams[0];
  const tail = pipelineOf(streams, (error) => {
    const callback = onClose;
    onClose = null;
    if (callback) callback(error);
    else if (error) duplex.destroy(error);
    else if (!readable && !writable) duplex.destroy();
  });
  const writable = canWrite(head);
  const readable = canRead(tail);

  const duplex = new (Duplex as any)({
    writableObjectMode: Boolean(head?.writableObjectMode),
    readableObjectMode: Boolean(tail?.readableObjectMode),
    writable,
    readable,
  });

  if (writable) {
    if (isNodeStream(head)) {
      duplex._write = (chunk: unknown, encoding: string, callback: Callback) => {
        if (head.write(chunk, encoding)) callback();
        else onDrain = callback;
      };
      duplex._final = (callback: unknown) => {
        head.end();
        onFinish = callback;
      };
      head.on("drain", () => {
        const callback = onDrain;
        onDrain = null;
        callback?.();
      });
    } else if (isWebStream(head)) {
      const writer = (isTransformStream(head) ? head.writable : head).getWriter();
      duplex._write = async (chunk: unknown, _encoding: string, callback: (...values: unknown[]) => unknown) => {
        try {
          await writer.ready;
          writer.write(chunk).catch(() => {});
          callback();
        } catch (error) {
          callback(error);
        }
      };
      duplex._final = async (callback: (...values: unknown[]) => unknown) => {
        try {
          await writer.ready;
          writer.close().catch(() => {});
          onFinish = callback;
        } catch (error) {
          callback(error);
        }
      };
    }
    // The duplex has finished when its last stream has.
    eos(isTransformStream(tail) ? tail.readable : tail, () => {
      const callback = onFinish;
      onFinish = null;
      callback?.();
    });
  }

  if (readable) {
    if (isNodeStream(tail)) {
      tail.on("readable", () => {
        const callback = onReadable;
        onReadable = null;
        callback?.();
      });
      tail.on("end", () => {
        duplex.push(null);
      });
      duplex._read = () => {
        for (;;) {
          const chunk = tail.read();
          if (chunk === null) {
            onReadable = duplex._read;
            return;
          }
          if (!duplex.push(chunk)) return;
        }
      };
    } else if (isWebStream(tail)) {
      const reader = (isTransformStream(tail) ? tail.readable : tail).getReader();
      duplex._read = async () => {
        for (;;) {
          try {
            const { value, done } = await reader.read();
            if (done) {
              duplex.push(null);
              return;
            }
            if (!duplex.push(value)) return;
          } catch {
            // The pipeline reports it.
            return;
          }
        }
      };
    }
  }

  duplex._destroy = (error: NodeError | null | undefined, callback: Callback) => {
    if (!error && onClose !== null) error = new AbortError();
    onReadable = null;
    onDrain = null;
    onFinish = null;
    if (isNodeStream(tail)) destroyer(tail, error);
    if (onClose === null) callback(error);
    else onClose = callback;
  };
  return duplex;
}
