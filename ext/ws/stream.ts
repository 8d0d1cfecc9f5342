/** `createWebSocketStream` of the package `ws`: a WebSocket as a Duplex of node:stream. */

import stream from "node:stream";
import type { Duplex as DuplexStream } from "internal/ws/types";
import type { StreamConstructor } from "internal/net/types";
import type { WebSocket } from "internal/ws/socket";

const { Duplex } = stream as unknown as { Duplex: StreamConstructor<DuplexStream> };

const CONNECTING = 0,
  CLOSED = 3;

/**
 * A Duplex whose chunks are messages; `options` are those of Duplex, but that it is in object mode on its readable side at most.
 * It ends when the connection is closed, and closes the connection when it has ended.
 */
export function createWebSocketStream(socket: WebSocket, options?: Record<string, unknown>): DuplexStream {
  /** An error of the WebSocket closes it in its own way. */
  let terminates = true;
  const emitClose = (): void => void duplex.emit("close");

  const duplex: DuplexStream = new Duplex({
    ...options,
    autoDestroy: false,
    emitClose: false,
    objectMode: false,
    writableObjectMode: false,
    read(): void {
      if (socket.isPaused) socket.resume();
    },
    write(chunk: unknown, _encoding: string, done: (error?: Error | null) => void): void {
      whenOpen(() => socket.send(chunk, done));
    },
    final(done: (error?: Error | null) => void): void {
      whenOpen(() => {
        const connection = socket._socket as unknown as { writableFinished: boolean } | null;
        // A handshake that failed: the error is on its way.
        if (connection === null) return;
        if (connection.writableFinished) {
          done();
          if (duplex.readableEnded) duplex.destroy();
        } else {
          socket._socket!.once("finish", () => done());
          socket.close();
        }
      });
    },
    destroy(error: Error | null, done: (error: Error | null) => void): void {
      if (socket.readyState === CLOSED) {
        done(error);
        process.nextTick(emitClose);
        return;
      }
      let told = false;
      socket.once("error", (reason: Error) => {
        told = true;
        done(reason);
      });
      socket.once("close", () => {
        if (!told) done(error);
        process.nextTick(emitClose);
      });
      if (terminates) socket.terminate();
    },
  } as object);

  function whenOpen(run: () => void): void {
    if (socket.readyState === CONNECTING) socket.once("open", run);
    else run();
  }

  socket.on("message", (message: Buffer, isBinary: boolean) => {
    const chunk = !isBinary && duplex.readableObjectMode ? message.toString() : message;
    if (!duplex.push(chunk as Uint8Array)) socket.pause();
  });
  socket.once("error", (error: Error) => {
    if (duplex.destroyed) return;
    terminates = false;
    duplex.destroy(error);
  });
  socket.once("close", () => {
    if (!duplex.destroyed) duplex.push(null);
  });
  duplex.on("end", () => {
    if (!duplex.destroyed && duplex.writableFinished) duplex.destroy();
  });
  const onError = (error: Error): void => {
    duplex.removeListener("error", onError);
    duplex.destroy();
    // Nobody listens: the error is thrown.
    if (duplex.listenerCount("error") === 0) duplex.emit("error", error);
  };
  duplex.on("error", onError);
  return duplex;
}
