// expected: written by hand
// A hook of v8.promiseHooks that makes promises without end: the program that makes one can catch that.
import { promiseHooks } from "node:v8";

const stop = promiseHooks.onInit(() => {
  Promise.resolve();
});
try {
  Promise.resolve();
} catch (error) {
  stop();
  console.log(error.name, error.message);
}
console.log(await Promise.resolve("goes on"));
