// expected: recorded from node 25.9
// node:sea outside of an executable with a program.
import * as sea from "node:sea";
import { isBuiltin } from "node:module";

console.log(Object.keys(sea.default).join(), sea.isSea(), isBuiltin("node:sea"), isBuiltin("sea"));
for (const [name, ...args] of [
  ["getAsset", "a"],
  ["getAsset"],
  ["getAsset", "a", 5],
  ["getRawAsset", "a"],
  ["getAssetAsBlob", "a"],
  ["getAssetKeys"],
]) {
  try {
    sea[name](...args);
  } catch (error) {
    console.log(name, error.name, error.code, error.message);
  }
}
