// module.registerHooks: a made-up module, and a file changed on its way. As Node prints.
import { registerHooks } from "node:module";
registerHooks({
  resolve(s, c, n) { if (s === "app:x") return { url: "app:x", format: "module", shortCircuit: true }; return n(s, c); },
  load(u, c, n) { if (u === "app:x") return { format: "module", source: "export default 'made'", shortCircuit: true };
    const r = n(u, c); if (u.endsWith("dep.mjs")) return { ...r, source: String(r.source).replace("A", "B") }; return r; },
});
console.log((await import("app:x")).default, (await import("./support/dep.mjs")).default);
import { createRequire } from "node:module"; const require = createRequire(import.meta.url); console.log(require("./support/dep.cjs"));
