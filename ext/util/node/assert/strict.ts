// node:assert/strict: node:assert with strict comparisons under the short names.

import assert from "internal/util/assert/main";

export default assert.strict;
