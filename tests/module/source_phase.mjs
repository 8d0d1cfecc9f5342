// expected: recorded from node 25.9.0. Imports of the source phase: a WebAssembly module's is its WebAssembly.Module.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import url from "node:url";

const dir = fs.mkdtempSync(path.join(os.tmpdir(), "source-"));
const at = (name) => url.pathToFileURL(path.join(dir, name)).href;
// (module (import "nowhere" "f" (func)) (func (export "g") (result i32) i32.const 7))
const bytes = Buffer.from(
  "0061736d01000000010802600000600001 7f020d01076e6f776865726501660000030201010705010167000 10a0601040041070b".replaceAll(" ", ""),
  "hex",
);
fs.writeFileSync(path.join(dir, "m.wasm"), bytes);
fs.writeFileSync(path.join(dir, "broken.wasm"), bytes.subarray(0, 20));
fs.writeFileSync(path.join(dir, "plain.mjs"), "console.log('not run'); export default 1");
fs.writeFileSync(path.join(dir, "static.mjs"), 'import source m from "./m.wasm"; export { m }; export const again = () => import.source("./m.wasm");');
fs.writeFileSync(path.join(dir, "refused.mjs"), 'import source m from "./plain.mjs"; console.log("not run");');
const fails = (promise) => promise.then((value) => console.log("no error", value), (error) => console.log(error.name, error.code, error.message.replace(dir, "DIR")));

const { m, again } = await import(at("static.mjs"));
console.log(m instanceof WebAssembly.Module, m === (await again()), m === (await import.source(at("m.wasm"))));
console.log(WebAssembly.Module.imports(m)[0].module, WebAssembly.Module.exports(m)[0].name);
console.log(new WebAssembly.Instance(m, { nowhere: { f() {} } }).exports.g());
const base = Object.getPrototypeOf(WebAssembly.Module.prototype);
console.log(Object.getOwnPropertyDescriptor(base, Symbol.toStringTag).get.call(m), base.constructor.name);
console.log(Object.getPrototypeOf(WebAssembly.Module) === base.constructor);
await fails(import.source(at("plain.mjs")));
await fails(import(at("refused.mjs")));
await import.source(at("broken.wasm")).catch((error) => console.log(error.name));
await import.source(at("missing.wasm")).catch((error) => console.log(error.code));
fs.rmSync(dir, { recursive: true });
