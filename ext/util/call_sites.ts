// Positions on the call stack, without a formatted stack.

/**
 * Call-site objects of the stack above `above` (that function and what it calls left out), at most `limit`. A user's
 * `Error.prepareStackTrace` is not called.
 */
export function captureCallSites(above: Function, limit: number): any[] {
  const holder: any = {};
  const { prepareStackTrace, stackTraceLimit } = Error as any;
  try {
    Error.stackTraceLimit = limit;
    (Error as any).prepareStackTrace = (_error: unknown, sites: any[]) => sites;
    Error.captureStackTrace(holder, above);
    const { stack } = holder;
    return Array.isArray(stack) ? stack : [];
  } finally {
    (Error as any).prepareStackTrace = prepareStackTrace;
    Error.stackTraceLimit = stackTraceLimit;
  }
}
