/** The old name of a part of node:http. */
import { ClientRequest } from "internal/http/client";

export default { ClientRequest };
