/** Node's internal/util/debuglog, as far as bao has it. */
import { debuglog, formatTime } from "internal/util/debuglog";

export default { debuglog, formatTime };
