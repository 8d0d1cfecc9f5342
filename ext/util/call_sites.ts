// Positions on the call stack, without a formatted stack.

/**
 * Call-site objects of the stack above `above` (that function and what it calls left out), at most `limit`. A user's
 * `Error.prepareStackTrace` is not called.
 */
export function captureCallSites(above: Function, limit: number): CallSite[] {
  const holder: { [key: string]: unknown } = {};
  const { prepareStackTrace, stackTraceLimit } = Error;
  try {
    Error.stackTraceLimit = limit;
    Error.prepareStackTrace = (_error, sites) => sites;
    Error.captureStackTrace(holder, above);
    const { stack } = holder;
    return Array.isArray(stack) ? stack : [];
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
    Error.stackTraceLimit = stackTraceLimit;
  }
}
