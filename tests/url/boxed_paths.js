// String objects as paths: Bun.pathToFileURL takes them as Bun does, node:url refuses them as Node does.
const url = require("node:url");
console.log(Bun.pathToFileURL(new String("/a b")).href, Bun.pathToFileURL("/a/").href);
for (const convert of [url.pathToFileURL, Bun.pathToFileURL]) {
  for (const value of [new String("/a"), 1, { toString: () => "/a" }]) {
    try {
      console.log(convert(value).href);
    } catch (error) {
      console.log(error.code);
    }
  }
}
