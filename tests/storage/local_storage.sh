# expected: written by hand
# localStorage in a file: kept from one process to the next, with a quota, and for strings that are no valid Unicode.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit
cat > first.mjs <<'X'
const t = (name, f) => { try { console.log(name, f()); } catch (error) { console.log(name, error.name, error.code, error.message); } };
t("type", () => `${Object.prototype.toString.call(localStorage)} ${localStorage instanceof Storage} ${localStorage.length}`);
t("set", () => localStorage.setItem("a", 1));
t("get", () => JSON.stringify([localStorage.getItem("a"), localStorage.a, localStorage.getItem("nope"), localStorage.nope]));
t("property", () => ((localStorage.b = 5), typeof localStorage.b));
t("quota", () => localStorage.setItem("x", "y".repeat(6 * 1024 * 1024)));
t("after", () => localStorage.getItem("x"));
t("text", () => localStorage.setItem("é\ud800", "\udc00\0z"));
t("text", () => JSON.stringify(localStorage.getItem("é\ud800")));
t("keys", () => JSON.stringify(Object.keys(localStorage)));
t("symbol", () => localStorage.setItem(Symbol("s"), 1));
t("missing", () => localStorage.setItem("q"));
t("in", () => ["a" in localStorage, "nope" in localStorage, delete localStorage.nope, delete localStorage.b].join());
for (let i = 0; i < 4; i++) localStorage.setItem("k" + (3 - i), i);
t("order", () => JSON.stringify([Object.keys(localStorage), localStorage.key(1), localStorage.key(99)]));
localStorage.removeItem("k0");
sessionStorage.setItem("only", "here");
X
"$BAO" --localstorage-file=data first.mjs
"$BAO" --localstorage-file=data -p 'JSON.stringify({ ...localStorage }) + localStorage.length + sessionStorage.length'
echo "two writers"
for n in 1 2; do "$BAO" --localstorage-file=data -e "for (let i = 0; i < 100; i++) localStorage.setItem('w$n' + i, i)" & done
wait
"$BAO" --localstorage-file=data -p 'localStorage.length'
"$BAO" --localstorage-file=data -e 'localStorage.clear(); console.log(localStorage.length); const big = "y".repeat(5 * 1024 * 1024 - 1); localStorage.setItem("x", big); console.log(localStorage.x.length)'
echo "no file"
"$BAO" -p 'typeof localStorage'
echo bad > bad
"$BAO" --localstorage-file=bad -e 'try { localStorage } catch (error) { console.log(error.message) }; console.log(sessionStorage.length)'
"$BAO" --localstorage-file=/nowhere/x -e 'try { localStorage } catch (error) { console.log(error.message) }'
