// TypeScript's own module syntax for CommonJS.
import path = require("node:path");
import type fs = require("node:fs");
import { type Stats } from "node:fs";
let unused: fs.Stats | Stats;
export = { joined: path.posix.join("a", "b"), kind: typeof module };
setTimeout(() => console.log(JSON.stringify(module.exports)), 0);
