# --minimum-release-age: which versions are taken, and the words. Recorded from Bun 1.4.5 (BAO=bun gives the same).
T=$(mktemp -d)
node "$(dirname "$0")/support/aged.mjs" '{
  "far":{"1.0.0":30,"1.1.0":20,"1.2.0":10,"1.3.0":1},
  "burst":{"1.0.0":30,"1.1.0":11,"1.2.0":5.5,"1.3.0":1},
  "week":{"1.0.0":30,"1.1.0":12.5,"1.2.0":5.5,"1.3.0":1},
  "many":{"1.0.0":11.9,"1.1.0":11.5,"1.2.0":6,"1.3.0":5.5,"1.4.0":4.5},
  "quiet":{"1.0.0":11.9,"1.1.0":11.5,"1.2.0":6,"1.3.0":5.5},
  "pre":{"1.0.0":40,"2.0.0-a.1":11,"2.0.0-b.1":10,"2.0.0-a.2":5.5,"2.0.0-a.3":1},
  "fresh":{"1.0.0":3,"1.1.0":1}}' "$T/port" &
SERVER=$!
trap 'kill $SERVER; rm -rf "$T"' EXIT
while [ ! -s "$T/port" ]; do sleep 0.02; done
export NPM_CONFIG_REGISTRY="http://localhost:$(cat "$T/port")/" HOME="$T" BUN_INSTALL_CACHE_DIR="$T/cache"
mkdir "$T/app"; cd "$T/app" || exit 1
pm() { timeout 60 "$BAO" "$@" 2>&1 | grep -v -E '^  (package|url|hint): |^Resol|^$|^b[a-z]* [a-z]* v' | sed 's/ \[[0-9.]*m*s\]//'; }
try() {
  rm -rf bun.lock node_modules
  echo "{\"dependencies\":{$1}}" > package.json
  echo "$@: $(pm install "${2:---minimum-release-age=5d}" --minimum-release-age=432000 | grep -E 'error|warn' | sed 's/: a.* failed.*//' | head -2)$(sed -n 's/.*: \["\([a-z]*@[^"]*\)".*/\1/p' bun.lock 2>/dev/null)"
}
for spec in ^1.0.0 latest '*' 1.3.0 =1.3.0 1.2.0 '1.2.0 || 1.3.0' '>=1.3.0' ; do try "\"far\":\"$spec\""; try "\"burst\":\"$spec\""; done
for name in week many quiet; do try "\"$name\":\"^1.0.0\""; try "\"$name\":\"latest\""; done
try '"pre":"^2.0.0-a.1"'; try '"pre":"next"'; try '"fresh":"latest"'; try '"fresh":"3.0.0"'
echo "== excludes"
for entry in burst burst@1.3.0 burst@1.2.0 'burst@1.1.0 || 1.3.0' 'burst@^1.3.0' burst@x other; do try '"burst":"^1.0.0"' "--minimum-release-age-excludes=$entry"; done
try '"burst":"1.3.0"' --minimum-release-age-excludes=burst@1.3.0
try '"burst":"1.3.0"' --minimum-release-age-excludes=burst@1.2.0
echo "== outdated, update"
rm -rf bun.lock node_modules; echo '{"dependencies":{"fresh":"1.0.0","far":"^1.0.0","burst":"1.0.0"}}' > package.json
pm install > /dev/null
pm outdated --minimum-release-age=432000
pm outdated --minimum-release-age=432000 --minimum-release-age-excludes=fresh@1.1.0
pm update --minimum-release-age=432000
pm update --latest --minimum-release-age=432000 --minimum-release-age-excludes=fresh@1.1.0
cat package.json; echo
pm add fresh --minimum-release-age=432000 | head -1
