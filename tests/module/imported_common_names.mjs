// expected: recorded from node 25.9.0
// Imports may have the names that CommonJS gives its modules.
import { a as require, b as __dirname } from "./support/common_names.mjs";
import * as module from "./support/common_names.mjs";
import exports, { c as __filename } from "./support/common_names.mjs";
console.log(require("x"), __dirname, module.b, exports, __filename);
