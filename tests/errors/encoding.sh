# Source that is not UTF-8: bytes that decode to nothing become U+FFFD, as Node and Bun read them; a UTF-8 mark is skipped.
. support/lib.sh
printf 'console.log("caf\351".length, "caf\351".charCodeAt(3));\n' >"$dir/latin1.js"
run latin1.js
printf 'export default "caf\351".charCodeAt(3);\n' >"$dir/part.mjs"
printf 'import x from "./part.mjs"; console.log(x);\n' >"$dir/main.mjs"
run main.mjs
printf '\357\273\277console.log("mark skipped");\n' >"$dir/mark.ts"
run mark.ts
printf '\357\273\277{ "mark": "skipped" }' >"$dir/mark.json"
echo 'console.log(require("./mark.json"));' >"$dir/json.cjs"
run json.cjs
printf 'console.log("\303\251\360\237\230\200".length, "\\0".length, "a\000b".length);\n' >"$dir/wide.js"
run wide.js
: >"$dir/empty.js"
run empty.js
