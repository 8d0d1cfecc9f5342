/** Node's internal/timers, as far as bao has it. */
import { Timeout, getTimerDuration, kTimeout, setUnrefTimeout } from "internal/core/timers";

export default { Timeout, getTimerDuration, kTimeout, setUnrefTimeout };
