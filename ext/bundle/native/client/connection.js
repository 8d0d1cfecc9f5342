// The WebSocket to the server.

/* global config, emit, draw, reloadPage, takeScript, takeSheets, isReloading, isBroken, buildErrors, nativeInfo, nativeError */
const decoder = new TextDecoder();
let socket;
let waiting = [];
let tries = 0;
let hasConnected = false;

function send(text) {
  if (socket !== undefined && socket.readyState === 1) socket.send(text);
  else if (waiting.length < 1000) waiting.push(text);
}

function take(data) {
  const bytes = new Uint8Array(data);
  const kind = String.fromCharCode(bytes[0]);
  const text = () => decoder.decode(bytes.subarray(1));
  if (kind === "V") {
    if (text() !== config.version || hasConnected) {
      reloadPage();
      return;
    }
    hasConnected = true;
    nativeInfo.call(console, "[Bun] Hot-module-reloading socket connected, waiting for changes...");
    emit("bun:ws:connect", null);
    send("she");
    send(`n${location.pathname}`);
    // What has changed since the page was made.
    send(`i${config.generation}`);
  } else if (kind === "u") {
    const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(1, true);
    const head = JSON.parse(decoder.decode(bytes.subarray(5, 5 + size)));
    // There are new versions only of what has no errors.
    buildErrors = [];
    if (head.reload || isBroken) {
      reloadPage();
      return;
    }
    draw();
    if (head.sheets !== undefined) takeSheets(head.sheets, head.order);
    if (bytes.length > 5 + size) takeScript(decoder.decode(bytes.subarray(5 + size)));
    else emit("bun:afterUpdate", null);
    if (head.server) takeServer();
  } else if (kind === "e") {
    buildErrors = JSON.parse(text());
    if (isBroken && buildErrors.length === 0) reloadPage();
    else {
      if (buildErrors.length !== 0) emit("bun:error", buildErrors);
      draw();
    }
  }
}

/** What the page shows was made by modules of the server that have changed. */
function takeServer() {
  const callback = globalThis[Symbol.for("bun:bake")];
  if (typeof callback !== "function") {
    reloadPage();
    return;
  }
  Promise.resolve()
    .then(() => callback())
    .catch((error) => {
      nativeError.call(console, error);
      reloadPage();
    });
}

function connect() {
  const url = new URL("/_bun/hmr", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  socket = new WebSocket(url.href);
  socket.binaryType = "arraybuffer";
  socket.onopen = () => {
    tries = 0;
    for (const text of waiting.splice(0)) socket.send(text);
  };
  socket.onmessage = (event) => take(event.data);
  socket.onclose = () => {
    if (isReloading) return;
    if (tries === 0) {
      emit("bun:ws:disconnect", null);
      console.warn("[Bun] Hot-module-reloading socket disconnected, reconnecting...");
    }
    setTimeout(connect, Math.min(250 * 2 ** tries++, 5000));
  };
}

for (const name of ["pushState", "replaceState"]) {
  const native = globalThis.History?.prototype[name];
  if (native === undefined) continue;
  History.prototype[name] = function (...values) {
    native.apply(this, values);
    send(`n${location.pathname}`);
  };
}
