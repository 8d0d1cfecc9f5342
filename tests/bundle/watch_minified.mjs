// expected: written by hand
// What watch_core.mjs does, minified: all modules are on one line, and positions of one depend on those before.
process.argv.splice(2, Infinity, "core", "--minify");
await import("./watch.mjs");
