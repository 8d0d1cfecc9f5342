// worker_threads.moveMessagePortToContext(): only its checks so far.

import { codes } from "internal/errors";
import { isOpenPort, isPort } from "web/message_port";

export function moveMessagePortToContext(port: any, context: any): never {
  if (!isPort(port)) throw new codes.ERR_INVALID_ARG_TYPE("port", "MessagePort", port);
  if (!isOpenPort(port)) throw new codes.ERR_CLOSED_MESSAGE_PORT();
  if (!require("internal/vm/context").isContext(context)) throw new codes.ERR_INVALID_ARG_TYPE("contextifiedSandbox", "vm.Context", context);
  throw new codes.ERR_NOT_IMPLEMENTED("worker_threads.moveMessagePortToContext");
}
