// expected: recorded from node 25.9.0
// A program may put anything that has indices into `module.children`: what is loaded is added to it as to an array.
module.children = { indexOf() { return 0; } };
console.log(require("./support/children/b.cjs"), module.children.length, module.children[0].id.endsWith("b.cjs"));
console.log(require("./support/children/b.cjs"), module.children.length);
try { require("./support/children/c.cjs") } catch (e) { console.log(e.message, module.children.length) }
