// The outputs of a process for Bun.spawn(): read ahead from the start, a stream when somebody asks for it.

import type { BytesController } from "internal/child_process/types";

const { pipeClose, pipeReadAll, pipeSetRef, pipeTake } = native("child");

/** Where output comes from: a pipe of native("child"), or what has been taken from one that has ended. */
export interface Source {
  /** -1 where the pipe is closed. */
  id: number;
  bytes: Uint8Array | undefined;
  controller: BytesController | undefined;
  /** Somebody reads piece by piece. */
  started: boolean;
}

/**
 * One of the outputs of a process. It is read ahead into native memory from the start, so that a process whose output
 * nobody reads does not get stuck. The stream is made when somebody asks for it.
 */
export class Output {
  #source: Source;
  #stream: unknown;

  /**
   * `id`: a pipe of native("child"), which belongs to this object from now on. `lazy`: nothing is read ahead, so that a
   * process waits whose output is not asked for.
   */
  constructor(id: number, lazy: boolean) {
    this.#source = { id, bytes: undefined, controller: undefined, started: false };
    if (!lazy) pipeReadAll(id, undefined);
  }

  get stream(): ReadableStream {
    return (this.#stream ??= new (require("internal/child_process/output_stream").OutputStream)(this.#source));
  }

  /** The process has ended: what nobody has asked for yet moves here, so that it goes when this object does. */
  ended(): void {
    const source = this.#source;
    if (source.started || source.id === -1) return;
    source.bytes = pipeTake(source.id);
    if (source.bytes !== undefined) source.id = -1;
  }

  /** Gives up the pipe and what has been read: who waits for it is told nothing. */
  abandon(): void {
    this.#source.bytes = undefined;
    closeSource(this.#source);
  }

  /** Whether waiting for output keeps the program alive. */
  setRef(on: boolean): void {
    if (this.#source.id !== -1) pipeSetRef(this.#source.id, on);
  }
}

/** Gives up the pipe. */
export function closeSource(source: Source): void {
  if (source.id === -1) return;
  pipeClose(source.id);
  source.id = -1;
}
