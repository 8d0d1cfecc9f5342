/** The package `ws`, which bao has built in as Bun does (https://github.com/websockets/ws/blob/master/doc/ws.md). */

import { PerMessageDeflate } from "internal/ws/deflate";
import { extension, subprotocol } from "internal/ws/header";
import { Receiver } from "internal/ws/receiver";
import { Sender } from "internal/ws/sender";
import { WebSocketServer } from "internal/ws/server";
import { WebSocket } from "internal/ws/socket";
import { createWebSocketStream } from "internal/ws/stream";

const Server = WebSocketServer;
const all = {
  createWebSocketStream,
  extension,
  PerMessageDeflate,
  Receiver,
  Sender,
  Server,
  subprotocol,
  WebSocket,
  WebSocketServer,
};
const main: typeof WebSocket & typeof all = Object.assign(WebSocket, all);

export default main;
