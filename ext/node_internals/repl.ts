/** Node's internal/repl. */
import { createInternalRepl } from "internal/repl/session";

export default { __proto__: require("node:repl"), createInternalRepl };
