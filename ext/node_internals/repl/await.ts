/** Node's internal/repl/await. */
import { processTopLevelAwait } from "internal/repl/syntax";

export default { processTopLevelAwait };
