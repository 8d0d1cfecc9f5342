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
# TypeScript, JSON and a data file go other ways through the loader; a source cut in the middle of a character.
printf 'const s: string = "caf\351"; console.log(s.charCodeAt(3), s.length);\n' >"$dir/latin1.ts"
run latin1.ts
printf '{ "a": "caf\351" }' >"$dir/latin1.json"
printf 'a = "caf\351"\n' >"$dir/latin1.toml"
echo 'console.log(require("./latin1.json").a.charCodeAt(3));
try { console.log(require("./latin1.toml").a.charCodeAt(3)); } catch (error) { console.log(error.name); }' >"$dir/data.cjs"
run data.cjs
printf 'console.log("cut"); // \342\202' >"$dir/cut.js"
run cut.js
printf '\377\376c\000o\000n\000' >"$dir/utf16.js"
run utf16.js | grep -a -e Error -e "exit code"
