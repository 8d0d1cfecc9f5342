# -p of ES modules prints what the last expression gives (recorded from Bun), and `process._eval` is the text.
for text in 'await 1' '(await 1) + (await 2)' 'await Promise.resolve("hello") + " world"' 'import { sep } from "node:path"; sep' \
  'import "node:fs"; 123; import "node:path"' 'const x = await 4; x' 'let y = await 5' 'export default 4; 7' 'await 0; undefined' \
  'process._eval' 'typeof module + typeof exports + typeof require' \
  'module._compile === require("module").prototype._compile' 'const n: number = await 6; n as number'; do
  "$BAO" -p "$text"
done
"$BAO" -e 'console.log(process._eval)'
echo 'console.log(process._eval.trim())' | "$BAO" -
"$BAO" -p "await Promise.reject(1); 2" 2>/dev/null; echo "$?"
# A function that is printed so gets no name by that.
"$BAO" -p 'await 0; () => 1'
