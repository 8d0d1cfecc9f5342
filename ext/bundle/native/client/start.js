// The start of the page.

/* global config, load, exportsOf, connect, draw, isBroken, emit, reportError, nativeError, refreshRuntime */
try {
  const message = JSON.parse(sessionStorage.getItem("bun:hmr:message"));
  if (message !== null) {
    sessionStorage.removeItem("bun:hmr:message");
    (message.kind === "warn" ? console.warn : console.error)(message.message);
  }
} catch {
  // Storage is off.
}
const start = async () => {
  if (config.refresh) {
    try {
      refreshRuntime = exportsOf(await load(config.refresh));
      refreshRuntime.injectIntoGlobalHook(globalThis);
    } catch (error) {
      nativeError.call(console, error);
    }
  }
  try {
    const loading = load(config.main);
    if (typeof loading.then === "function") await loading;
    emit("bun:ready", null);
  } catch (error) {
    nativeError.call(console, error);
    reportError(error, true);
  }
};
connect();
if (isBroken) draw();
else start();
