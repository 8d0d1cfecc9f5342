/** Node's internal/errors, as far as bao has it. */
import {
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
} from "internal/errors";

export default {
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
};
