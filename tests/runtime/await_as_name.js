// expected: recorded from node 25.9.0
// A script may call something `await`.
function await(value) {
  return value + 1;
}
console.log(await (1), typeof require, this === module.exports);
async function waits() {
  return await Promise.resolve(2);
}
waits().then(console.log);
