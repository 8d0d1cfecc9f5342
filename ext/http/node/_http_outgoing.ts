/** The old name of a part of node:http. */
import { validateHeaderName, validateHeaderValue } from "internal/http/common";
import { kHighWaterMark, kUniqueHeaders, OutgoingMessage } from "internal/http/outgoing";

export default { kHighWaterMark, kUniqueHeaders, validateHeaderName, validateHeaderValue, OutgoingMessage };
