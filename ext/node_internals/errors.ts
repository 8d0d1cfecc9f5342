/** Node's internal/errors, as far as bao has it. */
export {
  AbortError,
  ErrnoException,
  ExceptionWithHostPort,
  SystemError,
  UVExceptionWithHostPort,
  aggregateErrors,
  aggregateTwoErrors,
  codes,
  hideStackFrames,
  isStackOverflowError,
  uvErrmapGet,
  uvException,
} from "internal/core/errors";
