// What the permission model (`--permission`) denies: native functions throw, sockets and lookups tell it like every other failure.

/** What `run` returns, or the `ERR_ACCESS_DENIED` it throws. */
export function orDenied<T>(run: () => T): T | CodedError {
  try {
    return run();
  } catch (error) {
    if ((error as CodedError).code !== "ERR_ACCESS_DENIED") throw error;
    return error as CodedError;
  }
}
