# expected: written by hand. A build that watches is killed at 8 moments while it writes: results are whole, the old or the new ones.
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
cd "$T" || exit 1
write() { "$BAO" -e 'const n = process.argv[1]; require("fs").writeFileSync("index.js", `const text = ${JSON.stringify(n.repeat(600_000))}; export const first = ${n}; console.log(text.length, first === Number(text[0]), text.at(-1) === "${n}"); /* end */`)' "$1"; }
for i in 1 2 3 4 5 6 7 8; do
  write 1
  "$BAO" build index.js --outdir out --watch > log 2>&1 &
  P=$!
  for n in $(seq 500); do [ -e out/index.js ] && break; sleep 0.02; done
  write 2
  sleep "0.0$((i * 11))"
  kill -9 $P; wait $P 2>/dev/null
  "$BAO" out/index.js || { echo "half a file"; tail -c 100 out/index.js; }
  rm -rf out
done | sort | uniq -c | sed 's/^ *//'
