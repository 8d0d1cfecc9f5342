/** Node's internal/repl/await. */
import { processTopLevelAwait } from "internal/repl/await";

export default { processTopLevelAwait };
