/** readable.pipe(dest) and readable.unpipe(dest), with the backpressure between the two. */
import { errorOrDestroy } from "internal/streams/destroy";
import { prependListener } from "internal/streams/legacy";
import type { NodeReadable, NodeWritable } from "internal/streams/types";
import { FLOWING, MULTI_AWAIT_DRAIN, END_EMITTED } from "internal/streams/readable_state";

/** See Node's readable.pipe(destination[, options]). Returns `dest`. */
export function pipe<T extends NodeWritable>(src: NodeReadable, dest: T, options?: { end?: boolean }): T {
  const state = src._readableState;

  if (state.pipes.length === 1 && (state.flags & MULTI_AWAIT_DRAIN) === 0) {
    // A second destination: from now on several may be waited for at once.
    state.flags |= MULTI_AWAIT_DRAIN;
    state.awaitDrainWriters = new Set(state.awaitDrainWriters ? [state.awaitDrainWriters as NodeWritable] : []);
  }
  state.pipes.push(dest);

  const endsDest =
    (!options || options.end !== false) &&
    (dest as NodeWritable) !== process.stdout &&
    (dest as NodeWritable) !== process.stderr;
  const atEnd = endsDest ? onend : unpipeDest;
  if ((state.flags & END_EMITTED) !== 0) process.nextTick(atEnd);
  else src.once("end", atEnd);

  let ondrain: (() => void) | undefined;
  let cleanedUp = false;

  dest.on("unpipe", onunpipe);
  function onunpipe(readable: unknown, info?: { hasUnpiped: boolean }) {
    if (readable === src && info && info.hasUnpiped === false) {
      info.hasUnpiped = true;
      cleanup();
    }
  }

  function onend() {
    dest.end();
  }

  function cleanup() {
    dest.removeListener("close", onclose);
    dest.removeListener("finish", onfinish);
    if (ondrain) dest.removeListener("drain", ondrain);
    dest.removeListener("error", onerror);
    dest.removeListener("unpipe", onunpipe);
    src.removeListener("end", onend);
    src.removeListener("end", unpipeDest);
    src.removeListener("data", ondata);
    cleanedUp = true;
    // If the source is waiting for this destination, nobody else would wake it.
    if (ondrain && state.awaitDrainWriters && (!dest._writableState || dest._writableState.needDrain)) ondrain();
  }

  function pause() {
    // The destination may have unpiped itself during write().
    if (!cleanedUp) {
      if (state.pipes.length === 1 && state.pipes[0] === dest) {
        state.awaitDrainWriters = dest;
        state.flags &= ~MULTI_AWAIT_DRAIN;
      } else if (state.pipes.length > 1 && state.pipes.includes(dest)) {
        (state.awaitDrainWriters as Set<NodeWritable>).add(dest);
      }
      src.pause();
    }
    if (!ondrain) {
      // Added only now: most pipes never fill up.
      ondrain = drainListener(src, dest);
      dest.on("drain", ondrain);
    }
  }

  src.on("data", ondata);
  function ondata(chunk: unknown) {
    try {
      if (dest.write(chunk) === false) pause();
    } catch (error) {
      // A chunk of the wrong type, or a throwing transform, is a failure of the destination.
      dest.destroy(error);
    }
  }

  // A failing destination lets go of the source; the source itself is left alone.
  function onerror(error: unknown) {
    unpipeDest();
    dest.removeListener("error", onerror);
    if (dest.listenerCount("error") === 0) {
      const destState = dest._writableState || dest._readableState;
      if (destState && !destState.errorEmitted) errorOrDestroy(dest, error);
      else dest.emit("error", error);
    }
  }
  prependListener(dest, "error", onerror);

  function onclose() {
    dest.removeListener("finish", onfinish);
    unpipeDest();
  }
  dest.once("close", onclose);
  function onfinish() {
    dest.removeListener("close", onclose);
    unpipeDest();
  }
  dest.once("finish", onfinish);

  function unpipeDest() {
    src.unpipe(dest);
  }

  dest.emit("pipe", src);

  if (dest.writableNeedDrain === true) pause();
  else if ((state.flags & FLOWING) === 0) src.resume();
  return dest;
}

function drainListener(src: NodeReadable, dest: NodeWritable): () => void {
  return function pipeOnDrainFunctionResult() {
    const state = src._readableState;
    if (state.awaitDrainWriters === dest) state.awaitDrainWriters = null;
    else if ((state.flags & MULTI_AWAIT_DRAIN) !== 0) (state.awaitDrainWriters as Set<NodeWritable>).delete(dest);

    if (
      (!state.awaitDrainWriters || (state.awaitDrainWriters as Set<NodeWritable>).size === 0) &&
      src.listenerCount("data")
    )
      src.resume();
  };
}

/** See Node's readable.unpipe([destination]). */
export function unpipe(src: NodeReadable, dest?: NodeWritable): NodeReadable {
  const state = src._readableState;
  if (state.pipes.length === 0) return src;

  if (!dest) {
    const all = state.pipes;
    state.pipes = [];
    src.pause();
    for (let i = 0; i < all.length; i++) all[i].emit("unpipe", src, { hasUnpiped: false });
    return src;
  }

  const index = state.pipes.indexOf(dest);
  if (index === -1) return src;
  state.pipes.splice(index, 1);
  if (state.pipes.length === 0) src.pause();
  dest.emit("unpipe", src, { hasUnpiped: false });
  return src;
}
