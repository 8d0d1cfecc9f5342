/** `import x from "./x.wasm"`: the compiled and instantiated module's exports. */

/** Instantiates a file without imports; a module with imports gives the `WebAssembly.Module`, as with Bun's loader. */
export function load(path: string) {
  const bytes = require("node:fs").readFileSync(path);
  const module = new WebAssembly.Module(bytes);
  if (WebAssembly.Module.imports(module).length > 0) return module;
  return new WebAssembly.Instance(module).exports;
}
