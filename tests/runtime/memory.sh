# Out of memory: a clear error and an exit code, no crash by a signal.
. support/lib.sh
ulimit -v 3000000
limited() {
  echo "--- $1"
  (cd "$dir" || exit 1; "$BAO" "$1" >out 2>&1; echo $? >code)
  grep -o -m 1 'out of memory' "$dir/out"
  code=$(cat "$dir/code")
  if [ "$code" -gt 0 ] && [ "$code" -lt 128 ]; then echo "ended by itself"; else echo "code $code"; tail -3 "$dir/out"; fi
}
cat >"$dir/array.js" <<'JS'
const all = [];
for (;;) all.push(new Array(1000).fill(all.length));
JS
limited array.js
cat >"$dir/objects.js" <<'JS'
const all = [];
for (;;) all.push({ index: all.length, name: "k" + all.length });
JS
limited objects.js
cat >"$dir/map.js" <<'JS'
const map = new Map();
for (let i = 0; ; i++) map.set(i, [i]);
JS
limited map.js
# What fails at once can be caught. The engine throws the string "out of memory" where its own heap or a buffer cannot
# grow, so only the text is looked at.
cat >"$dir/caught.js" <<'JS'
const kept = [];
const attempt = (name, f) => {
  try {
    f();
  } catch (error) {
    kept.length = 0;
    console.log(name, /out of memory|allocation|too long|invalid array length/i.test(String(error)));
  }
};
attempt("bytes", () => { for (;;) kept.push(new Uint8Array(50_000_000).fill(1)); });
attempt("buffer", () => { for (;;) kept.push(Buffer.alloc(100_000_000, 1)); });
attempt("string", () => { for (let s = "x".repeat(1000); ; ) s += s; });
attempt("typed", () => new Float64Array(2 ** 40));
console.log("still running");
JS
run caught.js
