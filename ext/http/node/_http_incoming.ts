/** The old name of a part of node:http. */
import { IncomingMessage } from "internal/http/incoming";
import { readStart, readStop } from "internal/http/common";

export default { IncomingMessage, readStart, readStop };
