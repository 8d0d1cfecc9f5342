/** stream.compose(): several streams as one Duplex, which writes to the first and reads from the last. */
import { codes, AbortError } from "internal/core/errors";
import type { WritableStream } from "internal/streams/webstreams/writable";
import type { Anything, Done, DuplexConstructor, NodeDuplex, WebPair, WebReadable } from "internal/streams/types";
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

const canRead = (stream: Anything) =>
  Boolean(isReadable(stream) || isReadableStream(stream) || isTransformStream(stream));
const canWrite = (stream: Anything) =>
  Boolean(isWritable(stream) || isWritableStream(stream) || isTransformStream(stream));

/** See https://nodejs.org/api/stream.html#streamcomposestreams. */
export function compose(...streams: unknown[]): NodeDuplex {
  if (streams.length === 0) throw new codes.ERR_MISSING_ARGS("streams");
  if (streams.length === 1) return (Duplex as DuplexConstructor).from(streams[0]);

  const given = streams.slice();
  const last = streams.length - 1;
  if (typeof streams[0] === "function") streams[0] = (Duplex as DuplexConstructor).from(streams[0]);
  if (typeof streams[last] === "function") streams[last] = (Duplex as DuplexConstructor).from(streams[last]);

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
  let onDrain: Done | null | undefined;
  let onFinish: Done | null | undefined;
  let onReadable: ((size?: number) => void) | null | undefined;
  // null once the pipeline is through.
  let onClose: Done | null | undefined;

  const head = streams[0] as NodeDuplex | WritableStream | WebPair;
  const tail = pipelineOf(streams, (error) => {
    const callback = onClose;
    onClose = null;
    if (callback) callback(error);
    else if (error) duplex.destroy(error);
    else if (!readable && !writable) duplex.destroy();
  });
  const writable = canWrite(head);
  const readable = canRead(tail);

  const duplex = new (Duplex as DuplexConstructor)({
    writableObjectMode: Boolean((head as NodeDuplex | undefined)?.writableObjectMode),
    readableObjectMode: Boolean((tail as NodeDuplex | undefined)?.readableObjectMode),
    writable,
    readable,
  });

  if (writable) {
    if (isNodeStream(head)) {
      duplex._write = (chunk: unknown, encoding: string, callback: Done) => {
        if ((head as NodeDuplex).write(chunk, encoding)) callback();
        else onDrain = callback;
      };
      duplex._final = (callback: Done) => {
        (head as NodeDuplex).end();
        onFinish = callback;
      };
      head.on("drain", () => {
        const callback = onDrain;
        onDrain = null;
        callback?.();
      });
    } else if (isWebStream(head)) {
      const writer = ((isTransformStream(head) ? head.writable : head) as WritableStream).getWriter();
      duplex._write = async (chunk: unknown, _encoding: string, callback: Done) => {
        try {
          await writer.ready;
          writer.write(chunk).catch(() => {});
          callback();
        } catch (error) {
          callback(error);
        }
      };
      duplex._final = async (callback: Done) => {
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
          const chunk = (tail as NodeDuplex).read();
          if (chunk === null) {
            onReadable = duplex._read;
            return;
          }
          if (!duplex.push(chunk)) return;
        }
      };
    } else if (isWebStream(tail)) {
      const reader = ((isTransformStream(tail) ? tail.readable : tail) as WebReadable).getReader();
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

  duplex._destroy = (error: unknown, callback: Done) => {
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
