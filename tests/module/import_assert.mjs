// expected: written by hand (bun 1.4.5, which loads the file twice, prints false for the second)
// `assert { type: "json" }`, as attributes of imports were written before they became `with`, in JavaScript and TypeScript; a
// statement of its own that begins with `assert` stays one.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "import-assert-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
const write = (name, text) => writeFileSync(join(folder, name), text);
write("data.json", '{ "a": 1 }');
write("old.mjs", `import data from "./data.json" /* assert */ assert { type: "json" };
export { default as again } from "./data.json" assert { type: "json" }; export const line = new Error().stack.split(":").at(-2);
export default data;
`);
const body = `import data from "./data.json" assert { "type": "json" };
import old, { again, line } from "./old.mjs"
const assert = (value) => { console.log("asserted", value); };
assert
{ console.log("a block"); }
assert (data.a);
console.log(data === old, again === old, line, (await import("./data.json", { assert: { type: "json" } })).default.a);
`;
write("a.mjs", body);
write("b.ts", `${body}type T = 1; const typed: T = 1; console.log(typed);\n`);
write("c.tsx", `import type { X } from "./none" assert { "resolution-mode": "require" };\n${body}enum E { A }\nconsole.log(E.A);\n`);
for (const name of ["a.mjs", "b.ts", "c.tsx"]) console.log(name, execFileSync(process.execPath, [join(folder, name)], { encoding: "utf8" }));
