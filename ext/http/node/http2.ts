/** node:http2 (https://nodejs.org/api/http2.html). Parts are loaded when they are used: many programs only look at the constants. */
import { lazyProperties, lazyProperty } from "internal/core/lazy";
import { constants } from "internal/http/http2/constants";
import {
  getDefaultSettings,
  getPackedSettings,
  getUnpackedSettings,
  kSensitiveHeaders,
} from "internal/http/http2/util";
import { promisify } from "internal/core/util";
import type { RequestHandler, ServerOptions } from "internal/http/http2/server";
import type { SessionSocket } from "internal/http/http2/session";

type ConnectArguments = Parameters<(typeof import("internal/http/http2/connect"))["connect"]>;

function connect(authority: ConnectArguments[0], options?: ConnectArguments[1], listener?: ConnectArguments[2]) {
  return require("internal/http/http2/connect").connect(authority, options, listener);
}
Object.defineProperty(connect, promisify.custom, {
  configurable: true,
  get: () =>
    (require("internal/http/http2/connect").connect as unknown as { [promisify.custom]?: unknown })[promisify.custom],
});

function createServer(options?: ServerOptions | RequestHandler, handler?: RequestHandler) {
  return require("internal/http/http2/server").createServer(options, handler);
}

function createSecureServer(options?: ServerOptions, handler?: RequestHandler) {
  return require("internal/http/http2/server").createSecureServer(options, handler);
}

function performServerHandshake(socket: SessionSocket, options: ServerOptions = {}) {
  return require("internal/http/http2/server").performServerHandshake(socket, options);
}

const exported = {
  connect,
  createServer,
  createSecureServer,
  getDefaultSettings,
  getPackedSettings,
  getUnpackedSettings,
  performServerHandshake,
  sensitiveHeaders: kSensitiveHeaders,
};
lazyProperty(exported, "constants", constants);
lazyProperties(exported, () => require("internal/http/http2/session"), ["ClientHttp2Session"]);
lazyProperties(exported, () => require("internal/http/http2/compat"), ["Http2ServerRequest", "Http2ServerResponse"]);

export default exported as typeof exported & {
  constants: ReturnType<typeof constants>;
  ClientHttp2Session: BuiltinModules["internal/http/http2/session"]["ClientHttp2Session"];
  Http2ServerRequest: BuiltinModules["internal/http/http2/compat"]["Http2ServerRequest"];
  Http2ServerResponse: BuiltinModules["internal/http/http2/compat"]["Http2ServerResponse"];
};
