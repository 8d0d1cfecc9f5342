# C calls a JSCallback that is closed while standard error takes nothing: C gets 0, and the program goes on. expected: written by hand
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat >"$dir/closed.mjs" <<'JS'
import { CFunction, dlopen, JSCallback } from "bun:ffi";
const { symbols } = dlopen("libc.so.6", { bsearch: { args: ["ptr", "ptr", "u64", "u64", "ptr"], returns: "ptr" } });
const callback = new JSCallback(() => 1, { args: ["ptr", "ptr"], returns: "i32" });
const compare = callback.ptr;
callback.close();
const bytes = new Uint8Array(8);
console.log(symbols.bsearch(bytes, bytes, 8, 1, compare) !== null);
JS
"$BAO" "$dir/closed.mjs" 2>/dev/full
echo "exit $?"
"$BAO" "$dir/closed.mjs" 2>&1
echo "exit $?"
