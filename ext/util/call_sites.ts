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

/** The file whose code called `above`, if one did: text of `-e` is none. */
export function callerPath(above: Function): string | undefined {
  for (const site of captureCallSites(above, 30)) {
    let file = site.getFileName() as string | undefined;
    if (typeof file !== "string") continue;
    if (file.startsWith("file://")) file = require("node:url").fileURLToPath(file);
    const { BAO_LIB } = process.env;
    if (file!.startsWith("/") && !(BAO_LIB && file!.startsWith(`${BAO_LIB}/`))) return file;
  }
  return undefined;
}

/** The same; for text of `-e`, a file in the working directory. */
export function callerFile(above: Function): string {
  return callerPath(above) ?? `${process.cwd()}/[eval]`;
}
