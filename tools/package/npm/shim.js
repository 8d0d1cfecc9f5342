#!/usr/bin/env node
// Starts the executable of the platform's package. `postinstall` puts the executable itself into the place of this file where it can.
"use strict";
const { executable } = require("../install.js");
const { basename } = require("node:path");
const { constants } = require("node:os");
const child = require("node:child_process").spawnSync(executable(), process.argv.slice(2), {
  stdio: "inherit",
  argv0: basename(__filename),
});
if (child.error) throw child.error;
process.exitCode = child.status ?? 128 + (constants.signals[child.signal] ?? 0);
