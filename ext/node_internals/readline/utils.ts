/** Node's internal/readline/utils, as far as bao has it. */
import { CSI } from "internal/repl/readline/csi";
import { charLengthAt, charLengthLeft, commonPrefix } from "internal/repl/readline/text";

export default { CSI, charLengthAt, charLengthLeft, commonPrefix };
