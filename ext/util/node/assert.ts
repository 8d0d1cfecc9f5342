// node:assert, see internal/assert/main.

import assert from "internal/assert/main";

export default assert;
