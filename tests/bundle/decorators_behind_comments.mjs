// expected: recorded from bun 1.4.5
// Decorators and accessors in lines that begin as comments do, or behind the end of one.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = mkdtempSync(join(process.env.TMPDIR ?? "/tmp", "decorators-"));
const texts = {
  "glob in a line comment": "// src/**\n@seen class A {}",
  "behind a comment": "/* a */ @seen class A {}",
  "behind a comment of lines": "/**\n * It has {@link b}.\n * @public\n */ @seen class A {}",
  "accessor behind a comment": "class A {\n  /** b */ accessor c = 1;\n}\nseen(A, { kind: Object.keys(new A()).length });",
  "none": "const A = /* @__PURE__ */ seen(/** @type {c} */ (class A {}), { kind: 0 });",
};
const seen = "function seen(value, { kind }) { console.log(kind, value.name); return value; }";
for (const [name, text] of Object.entries(texts)) {
  const file = join(folder, "a.js");
  writeFileSync(file, `${text}\n${seen}\n`);
  const { outputs } = await Bun.build({ entrypoints: [file] });
  const code = await outputs[0].text();
  console.log(`${name}: ${/@seen|accessor c/.test(code) ? "still there" : "gone"}`);
  new Function(code.replace(/^export .*$/m, ""))();
}
rmSync(folder, { recursive: true });
