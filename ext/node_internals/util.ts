/** Node's internal/util, as far as bao has it. */
export { getSystemErrorName } from "internal/core/errors";
export {
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
} from "internal/core/util";
import { validateUint32 } from "internal/core/validators";

/** Blocks the thread for `msec` milliseconds. */
export function sleep(msec: number | undefined): void {
  validateUint32(msec, "msec");
  if (msec > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, msec);
}
