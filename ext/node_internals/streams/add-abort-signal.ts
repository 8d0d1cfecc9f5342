/** Node's internal/streams/add-abort-signal. */
import { addAbortSignal, addAbortSignalNoValidate } from "internal/streams/add_abort_signal";

export default { addAbortSignal, addAbortSignalNoValidate };
