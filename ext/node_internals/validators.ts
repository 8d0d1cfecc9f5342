/** Node's internal/validators. */
import * as validators from "internal/validators";

export default validators;
