# --changed: files that what git says has changed reaches.
. support/lib.sh
git init -q .
git config user.email a@b.c
git config user.name n
echo '.std*' >.gitignore
echo 'export const a = 1;' >a.ts
echo 'import { a } from "./a"; export const b = a;' >b.ts
echo 'const x = require("./c2.cjs"); exports.c = x;' >c.cjs
echo 'module.exports = 1;' >c2.cjs
echo 'import { b } from "./b"; test("b", () => { expect(b).toBe(1); });' >b.test.ts
echo 'test("c", async () => { await import("./c.cjs"); });' >c.test.ts
echo 'test("d", () => {});' >d.test.ts
git add . && git commit -qm one
t --changed
echo 'export const a = 1; // changed' >a.ts
t --changed
git commit -qam two
echo 'module.exports = 2;' >c2.cjs
echo 'test("e", () => {});' >e.test.ts
t --changed
t --changed=HEAD~1 b d
