// expected: recorded from node 25.9
// A frozen console can be copied, and what inherits from it can have members of its own.
"use strict";
const { log } = console;
const copy = Object.assign({}, Object.freeze(console));
log(typeof copy.log, typeof copy.Console);
const heir = Object.create(console);
heir.write = 1;
log(heir.write);
try {
  console.log = 1;
} catch (error) {
  log(error.name);
}
