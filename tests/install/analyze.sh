# --analyze: the packages that source files import. Recorded from bao; Bun's way needs its bundler, the result is the same.
SUPPORT=$(cd "$(dirname "$0")" && pwd)/support
PACKAGES=$SUPPORT/people.json
export PACKAGES
. "$SUPPORT/start.sh"
echo '{"name":"app","dependencies":{"tilde":"~1.2.0"}}' > package.json
mkdir -p src/lib
cat > src/index.tsx <<'X'
import React from "react/jsx-runtime";
import type { T } from "dev1";
import { b } from "./lib/b.js";
import fs from "node:fs";
export * from "tilde";
const view = <p>don't {`import "no" ${require("nometa")}`}</p>;
X
printf 'import json from "./c.json"\nexport const b = () => import("./d")\n' > src/lib/b.ts
printf '{"a":1}' > src/lib/c.json
mkdir src/lib/d
printf '// require("no")\nmodule.exports = require("@types/x/deep");\nrequire("path")\n' > src/lib/d/index.cjs
pm plain install -a src/index.tsx
cat package.json
pm plain add --analyze src/none.ts
