// clearTimeout takes the number of a timer, or the text of it and no other text; util.promisify takes setInterval as in Bun.
// expected: written by hand; the ids are as in node 25.9.0
import { promisify } from "node:util";
const fired = [];
const start = (name) => setTimeout(() => fired.push(name), 1);
for (const text of [(id) => ` ${id}`, (id) => `${id} `, (id) => `0${id}`, (id) => `+${id}`, (id) => `${id}.0`])
  clearTimeout(text(+start(text(1))));
clearTimeout(+start("number"));
clearTimeout(`${+start("text")}`);
clearTimeout(Object(+start("object")));
await new Promise((resolve) => setTimeout(resolve, 10));
console.log(fired);
let count = 0;
for await (const value of promisify(setInterval)(1, "value")) {
  console.log(value);
  if (++count === 2) break;
}
