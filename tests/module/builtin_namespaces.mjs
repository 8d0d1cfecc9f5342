// Namespaces of built-in modules have the names of their exports and nothing else; "module.exports" is one of CommonJS modules only.
// expected: recorded from node 25.9.0, but for names of JSON, which are those of bun 1.4.5
import * as path from "node:path";
import * as types from "node:util/types";
import data from "./support/reexports.json" with { type: "json" };
import * as json from "./support/reexports.json" with { type: "json" };
import * as commonjs from "./support/plain.cjs";
import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
console.log("module.exports" in path, "module.exports" in types, "module.exports" in commonjs);
console.log(Object.entries(types).filter(([name, value]) => name !== "default" && typeof value !== "function"));
console.log("module.exports" in (await import("node:fs")), "module.exports" in json, json.default === data);
console.log(require("./support/reexports.json"), require("./support/plain.cjs"), require("node:path") === path.default);
// What re-exports all of a built-in module is not that module to require().
const again = require("./support/reexports.mjs");
console.log(again.own, again.join("a", "b"), again === path.default);
console.log(Object.keys(require("_tls_common")), Object.keys(require("_tls_wrap")), require("_stream_wrap").name);
const { translatePeerCertificate } = require("_tls_common");
console.log(translatePeerCertificate({ infoAccess: '__proto__:x\nA:"q\\u0041"\nA:2' }), translatePeerCertificate(0));
