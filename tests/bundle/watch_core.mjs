// expected: written by hand
// What watch.mjs does, of the bundler's own core: its rebuilds are as its new builds.
process.argv[2] = "core";
await import("./watch.mjs");
