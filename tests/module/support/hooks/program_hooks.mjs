// Hooks as an ES module with a top-level await, on a thread of their own.
import { isMainThread } from "node:worker_threads";
import { readFile } from "node:fs/promises";
const banner = await Promise.resolve("// from the hooks\n");
let prefix = "?";
export async function initialize({ name, port }) {
  prefix = name;
  port.postMessage(`initialized, main thread: ${isMainThread}, global: ${typeof globalThis.marker}`);
}
export async function resolve(specifier, context, nextResolve) {
  if (specifier.startsWith("made:")) return { url: specifier, format: "module", shortCircuit: true };
  if (specifier === "never") return new Promise(() => {});
  if (specifier === "throws") throw Object.assign(new TypeError("no such thing"), { code: "E_MINE", where: { at: 1 } });
  if (specifier === "badly") return { url: 7, shortCircuit: true };
  return nextResolve(specifier, context);
}
export async function load(url, context, nextLoad) {
  if (url.startsWith("made:")) return { format: "module", source: `export default ${JSON.stringify(prefix + url.slice(5))}`, shortCircuit: true };
  if (url.endsWith("/imported.cjs")) return { format: "commonjs", source: banner + (await readFile(new URL(url), "utf8")), shortCircuit: true };
  return nextLoad(url, context);
}
