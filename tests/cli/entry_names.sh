# expected: recorded from bun 1.4.5
# Files that are named without their extension: the first of Bun's order; as `node` the word is the name in process.argv.
. support/lib.sh
for extension in tsx jsx mts ts mjs js cts cjs; do
  file "main.$extension" <<JS
console.log("$extension", process.argv[1].slice(process.argv[1].lastIndexOf("/") + 1));
JS
  file "folder/index.$extension" <<JS
console.log("index.$extension", process.argv[1].slice(process.argv[1].lastIndexOf("/") + 1));
JS
done
ln -s "$BAO" node
for extension in tsx jsx mts ts mjs js cts cjs; do
  bao ./main; bao main a; ./node main; ./node ./folder
  rm "main.$extension" "folder/index.$extension"
done
