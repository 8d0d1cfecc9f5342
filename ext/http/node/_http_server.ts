/** The old name of a part of node:http. */
import { STATUS_CODES } from "internal/http/status";
import {
  connectionListener,
  kConnectionsCheckingInterval,
  kServerResponse,
  Server,
  ServerResponse,
} from "internal/http/server";

export default {
  STATUS_CODES,
  Server,
  ServerResponse,
  _connectionListener: connectionListener,
  kServerResponse,
  kConnectionsCheckingInterval,
};
