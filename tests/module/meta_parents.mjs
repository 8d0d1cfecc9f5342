// expected: written by hand. Parents of import.meta.resolve: none and null are the module (Node with --experimental-import-meta-resolve), URLs, paths (Bun), nothing else.
const here = new URL(".", import.meta.url).href;
for (const parent of [undefined, null, new URL("file:///tmp/a/x"), "file:///tmp/a/x", "/tmp/a/x", "/tmp/a b#/", import.meta.path, 1, {}, "x"])
  try {
    console.log(String(parent).replace(import.meta.dirname, "HERE"), import.meta.resolve("./q.mjs", parent).replace(here, "HERE/"));
  } catch (error) {
    console.log(String(parent), error.code);
  }
console.log(import.meta.resolve("node:fs", null), import.meta.resolve("data:text/plain,1", "/"));
