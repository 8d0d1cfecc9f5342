// The process, for a runner that starts faster where the program under test does not ask for `process`: then its module is not
// loaded.

const { isLoaded } = native("test");
const ops = native("process");

const PROCESS = "node:process";

/** A variable of the environment, as the program may have set it. */
export function variable(name: string): string | undefined {
  return isLoaded(PROCESS) ? process.env[name] : ops.getenv(name);
}

/** Makes `path` process.argv[1]. */
export function setScript(path: string): void {
  ops.setScript(path);
  if (isLoaded(PROCESS)) process.argv[1] = path;
}

/** Ends the process, with the exit code that the program has set if there is one. */
export function exit(code: number): void {
  if (!isLoaded(PROCESS)) return ops.reallyExit(code);
  // Test files may have taken away the global.
  const process = require(PROCESS);
  process.exitCode = process.exitCode || code;
  let status = Number(process.exitCode) || code;
  try {
    process.emit("exit", status);
  } catch (error) {
    const { hold, release } = native("test");
    hold(require("internal/test/bun_test/error_text").errorText(error, undefined, false));
    release();
    status ||= 1;
  }
  ops.reallyExit(status);
}
