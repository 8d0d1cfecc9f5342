// node:assert, see internal/assert/main.

import assert from "internal/util/assert/main";

export default assert;
