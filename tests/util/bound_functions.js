// expected: recorded from node 25.9. A bound function is not itself asynchronous.
const { types } = require("node:util");

for (const fn of [async () => {}, async function named() {}, (async () => {}).bind(), async function named() {}.bind(1), function () {}.bind()]) {
  console.log(types.isAsyncFunction(fn), types.isGeneratorFunction(fn));
}
