// expected: recorded from node 25.9
// Exports of built-in modules can be set, also on a class that extends one, and read afterwards.
"use strict";
for (const [id, names] of Object.entries({
  http: ["ClientRequest", "Agent"],
  https: ["Agent"],
  http2: ["Http2ServerRequest", "Http2ServerResponse", "constants"],
  dns: ["Resolver"],
  "dns/promises": ["Resolver"],
  events: ["errorMonitor", "captureRejectionSymbol"],
  "stream/web": ["ReadableStream", "CompressionStream"],
  perf_hooks: ["PerformanceEntry", "createHistogram"],
  readline: ["promises"],
  process: ["ppid", "allowedNodeEnvironmentFlags"],
  module: ["builtinModules", "SourceMap"],
  crypto: ["randomBytes", "createHash"],
  util: ["inspect", "types"],
  worker_threads: ["Worker"],
  v8: ["Serializer"],
  url: ["URLSearchParams"],
  assert: ["AssertionError"],
  buffer: ["Blob"],
})) {
  const target = require(id);
  for (const name of names) {
    const before = target[name];
    const heir = Object.create(target);
    let said = "set";
    try {
      heir[name] = 1;
      said += heir[name] === 1 && target[name] === before ? ", heir alone" : ", heir and target";
      target[name] = 2;
      said += target[name] === 2 ? "" : ", lost";
      target[name] = before;
    } catch (error) {
      said = error.message;
    }
    console.log(id, name, said, Object.keys(target).includes(name));
  }
}
const { Module } = require("module");
class Sub extends Module {}
for (const [key, value] of Object.entries(Module)) Sub[key] = value;
console.log(
  Object.hasOwn(Sub, "builtinModules"),
  Sub.builtinModules === Module.builtinModules,
  Sub.SourceMap === Module.SourceMap,
);
const copy = {};
console.log(Object.getPrototypeOf(process).constructor.call(copy), copy, process.constructor.name);
