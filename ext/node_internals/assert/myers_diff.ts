/** Node's internal/assert/myers_diff. */
import { myersDiff, printLineDiff } from "internal/util/assert/myers_diff";

export default { myersDiff, printMyersDiff: printLineDiff };
