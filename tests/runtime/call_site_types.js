// expected: recorded from node 25.9.0
// getTypeName() of frames: null for plain calls of strict functions, which caller-callsite and import-jsx (tap) go by.
const caller = require("./support/call_site_caller/index.js");

const relative = (file) => file.slice(__dirname.length + 1);

console.log("called at the top of", relative(caller()));
console.log("plain calls have", caller.ofPlainCalls());
import("./support/call_site_caller/module.mjs").then(({ ofTop }) => console.log("at the top of a module", ofTop));
