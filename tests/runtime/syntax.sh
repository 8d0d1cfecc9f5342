# Syntax errors name the file, the line and the column, show the line and run nothing.
. support/lib.sh
printf 'console.log("not printed");\nconst x: number = ;\n' >"$dir/broken.ts"
run broken.ts
printf 'console.log("not printed");\nlet a = 1;\nlet a = 2;\n' >"$dir/twice.mjs"
run twice.mjs
printf '{ "a": 1,\n  "b": }\n' >"$dir/broken.json"
echo 'require("./broken.json");' >"$dir/json.cjs"
run json.cjs
echo 'import data from "./broken.json" with { type: "json" }; console.log(data);' >"$dir/json.mjs"
run json.mjs
cat >"$dir/caught.cjs" <<'JS'
for (const file of ["./broken.ts", "./twice.mjs", "./broken.json"]) {
  try {
    require(file);
  } catch (error) {
    console.log(error.name, error instanceof SyntaxError);
  }
}
JS
run caught.cjs
