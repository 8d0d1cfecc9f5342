/** Node's internal/util, as far as bao has it. */
import { getSystemErrorName } from "internal/errors";
import {
  callbackify,
  customInspectSymbol,
  customPromisifyArgs,
  deprecate,
  emitExperimentalWarning,
  isError,
  kEmptyObject,
  kEnumerableProperty,
  once,
  pendingDeprecate,
  promisify,
} from "internal/util";
import { validateUint32 } from "internal/validators";

/** Blocks the thread for `msec` milliseconds. */
function sleep(msec: any): void {
  validateUint32(msec, "msec");
  if (msec > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, msec);
}

export default {
  callbackify,
  customInspectSymbol,
  customPromisifyArgs,
  deprecate,
  emitExperimentalWarning,
  getSystemErrorName,
  isError,
  kEmptyObject,
  kEnumerableProperty,
  once,
  pendingDeprecate,
  promisify,
  sleep,
};
