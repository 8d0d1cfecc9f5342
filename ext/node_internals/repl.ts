/** Node's internal/repl. */
import { createInternalRepl } from "internal/repl";

export default { __proto__: require("node:repl"), createInternalRepl };
