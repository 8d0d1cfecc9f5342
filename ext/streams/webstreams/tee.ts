/** readable.tee(): https://streams.spec.whatwg.org/#abstract-opdef-readablestreamtee */
import { copyBytes, deferred, nextMicrotask, react } from "internal/streams/webstreams/core";
import {
  DefaultReaderImpl,
  ReadableImpl,
  acquireReader,
  cancelReadable,
  createReadable,
} from "internal/streams/webstreams/readable_core";
import {
  ByobReaderImpl,
  ByteControllerImpl,
  acquireByobReader,
  createReadableBytes,
} from "internal/streams/webstreams/byte_core";

/** With `clone`, the second branch gets structured clones of the chunks. */
export function tee(stream: ReadableImpl, clone: boolean): [ReadableImpl, ReadableImpl] {
  return stream.controller instanceof ByteControllerImpl ? teeBytes(stream) : teeDefault(stream, clone);
}

function teeDefault(stream: ReadableImpl, clone: boolean): [ReadableImpl, ReadableImpl] {
  const reader = acquireReader(stream);
  let reading = false;
  let readAgain = false;
  let cancelled1 = false;
  let cancelled2 = false;
  let reason1: unknown;
  let reason2: unknown;
  const cancelled = deferred();

  // One read at a time: its chunk waits here.
  let chunk: unknown;
  function pass() {
    const value = chunk;
    chunk = undefined;
    readAgain = false;
    let second = value;
    if (!cancelled2 && clone) {
      try {
        second = structuredClone(value);
      } catch (error) {
        branch1.controller.error(error);
        branch2.controller.error(error);
        cancelled.resolve(cancelReadable(stream, error));
        return;
      }
    }
    if (!cancelled1) branch1.controller.enqueue(value);
    if (!cancelled2) branch2.controller.enqueue(second);
    reading = false;
    if (readAgain) pull();
  }

  const request = {
    chunk(value: unknown) {
      chunk = value;
      // Later, so that errors of the stream reach the branches before a chunk that came with them.
      nextMicrotask(pass);
    },
    close() {
      reading = false;
      if (!cancelled1) branch1.controller.close();
      if (!cancelled2) branch2.controller.close();
      if (!cancelled1 || !cancelled2) cancelled.resolve(undefined);
    },
    error() {
      reading = false;
    },
  };

  function pull() {
    if (reading) {
      readAgain = true;
      return;
    }
    reading = true;
    reader.read(request);
  }
  function cancel1(reason: unknown) {
    cancelled1 = true;
    reason1 = reason;
    if (cancelled2) cancelled.resolve(cancelReadable(stream, [reason1, reason2]));
    return cancelled.promise;
  }
  function cancel2(reason: unknown) {
    cancelled2 = true;
    reason2 = reason;
    if (cancelled1) cancelled.resolve(cancelReadable(stream, [reason1, reason2]));
    return cancelled.promise;
  }

  const branch1 = createReadable({ __proto__: null, pull, cancel: cancel1 });
  const branch2 = createReadable({ __proto__: null, pull, cancel: cancel2 });
  react(reader.closedPromise, undefined, (reason: unknown) => {
    branch1.controller.error(reason);
    branch2.controller.error(reason);
    if (!cancelled1 || !cancelled2) cancelled.resolve(undefined);
  });
  return [branch1, branch2];
}

function cloneView(view: Uint8Array): Uint8Array {
  return new Uint8Array(copyBytes(view.buffer, view.byteOffset, view.byteLength));
}

/** Both branches are byte streams; a BYOB read of one fills its view directly, the other gets a copy. */
function teeBytes(stream: ReadableImpl): [ReadableImpl, ReadableImpl] {
  let reader: DefaultReaderImpl | ByobReaderImpl = acquireReader(stream);
  let reading = false;
  let readAgain1 = false;
  let readAgain2 = false;
  let cancelled1 = false;
  let cancelled2 = false;
  let reason1: unknown;
  let reason2: unknown;
  const cancelled = deferred();

  function forwardErrors(of: DefaultReaderImpl | ByobReaderImpl) {
    react(of.closedPromise, undefined, (reason: unknown) => {
      // Of a reader that has been replaced since.
      if (of !== reader) return;
      branch1.controller.error(reason);
      branch2.controller.error(reason);
      if (!cancelled1 || !cancelled2) cancelled.resolve(undefined);
    });
  }

  function failBoth(error: unknown) {
    branch1.controller.error(error);
    branch2.controller.error(error);
    cancelled.resolve(cancelReadable(stream, error));
  }

  const defaultRequest = {
    chunk(value: Uint8Array) {
      nextMicrotask(() => {
        readAgain1 = false;
        readAgain2 = false;
        const first = value;
        let second = value;
        if (!cancelled1 && !cancelled2) {
          try {
            second = cloneView(value);
          } catch (error) {
            failBoth(error);
            return;
          }
        }
        if (!cancelled1) branch1.controller.enqueue(first);
        if (!cancelled2) branch2.controller.enqueue(second);
        reading = false;
        if (readAgain1) pull1();
        else if (readAgain2) pull2();
      });
    },
    close() {
      reading = false;
      if (!cancelled1) branch1.controller.close();
      if (!cancelled2) branch2.controller.close();
      if (branch1.controller.pendingPullIntos.length > 0) branch1.controller.respond(0);
      if (branch2.controller.pendingPullIntos.length > 0) branch2.controller.respond(0);
      if (!cancelled1 || !cancelled2) cancelled.resolve(undefined);
    },
    error() {
      reading = false;
    },
  };

  function pullWithDefaultReader() {
    if (reader.byob) {
      reader.release();
      reader = acquireReader(stream);
      forwardErrors(reader);
    }
    (reader as DefaultReaderImpl).read(defaultRequest);
  }

  function pullWithByobReader(view: Uint8Array, forSecond: boolean) {
    if (!reader.byob) {
      reader.release();
      reader = acquireByobReader(stream);
      forwardErrors(reader);
    }
    const byobBranch = forSecond ? branch2 : branch1;
    const otherBranch = forSecond ? branch1 : branch2;

    (reader as ByobReaderImpl).read(view, 1, {
      chunk(value: Uint8Array) {
        nextMicrotask(() => {
          readAgain1 = false;
          readAgain2 = false;
          const byobCancelled = forSecond ? cancelled2 : cancelled1;
          const otherCancelled = forSecond ? cancelled1 : cancelled2;
          if (!otherCancelled) {
            let copy: Uint8Array;
            try {
              copy = cloneView(value);
            } catch (error) {
              byobBranch.controller.error(error);
              otherBranch.controller.error(error);
              cancelled.resolve(cancelReadable(stream, error));
              return;
            }
            if (!byobCancelled) byobBranch.controller.respondWithNewView(value);
            otherBranch.controller.enqueue(copy);
          } else if (!byobCancelled) {
            byobBranch.controller.respondWithNewView(value);
          }
          reading = false;
          if (readAgain1) pull1();
          else if (readAgain2) pull2();
        });
      },
      close(value?: Uint8Array) {
        reading = false;
        const byobCancelled = forSecond ? cancelled2 : cancelled1;
        const otherCancelled = forSecond ? cancelled1 : cancelled2;
        if (!byobCancelled) byobBranch.controller.close();
        if (!otherCancelled) otherBranch.controller.close();
        if (value !== undefined) {
          if (!byobCancelled) byobBranch.controller.respondWithNewView(value);
          if (!otherCancelled && otherBranch.controller.pendingPullIntos.length > 0) otherBranch.controller.respond(0);
        }
        if (!byobCancelled || !otherCancelled) cancelled.resolve(undefined);
      },
      error() {
        reading = false;
      },
    });
  }

  function pull1() {
    if (reading) {
      readAgain1 = true;
      return;
    }
    reading = true;
    const request = branch1.controller.getByobRequest();
    if (request === null) pullWithDefaultReader();
    else pullWithByobReader(request.view!, false);
  }
  function pull2() {
    if (reading) {
      readAgain2 = true;
      return;
    }
    reading = true;
    const request = branch2.controller.getByobRequest();
    if (request === null) pullWithDefaultReader();
    else pullWithByobReader(request.view!, true);
  }
  function cancel1(reason: unknown) {
    cancelled1 = true;
    reason1 = reason;
    if (cancelled2) cancelled.resolve(cancelReadable(stream, [reason1, reason2]));
    return cancelled.promise;
  }
  function cancel2(reason: unknown) {
    cancelled2 = true;
    reason2 = reason;
    if (cancelled1) cancelled.resolve(cancelReadable(stream, [reason1, reason2]));
    return cancelled.promise;
  }

  const branch1 = createReadableBytes({ __proto__: null, pull: pull1, cancel: cancel1 });
  const branch2 = createReadableBytes({ __proto__: null, pull: pull2, cancel: cancel2 });
  forwardErrors(reader);
  return [branch1, branch2];
}
