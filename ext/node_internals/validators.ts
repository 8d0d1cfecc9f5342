/** Node's internal/validators. */
import * as validators from "internal/core/validators";

export default validators;
