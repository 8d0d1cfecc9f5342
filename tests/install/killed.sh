# kill -9 at 12 moments of an install, then an install that ends: the tree equals one that was never disturbed, and so does
# the lockfile. Moments go over the whole length of an install: from an empty cache, and with a full one. By hand.
. "$(dirname "$0")/support/start-many.sh"
echo '{"name":"app","dependencies":{"p119":"^1.0.0","p118":"^2.0.0","@scope/p113":"1.0.0","p117":"*","p110":"^2.0.0","p105":"^1.0.0"}}' > package.json
install >/dev/null 2>&1 || echo "the undisturbed install failed"
tree node_modules > "$T/expected"; cp bun.lock "$T/lock"
[ "$(wc -l < "$T/expected")" -gt 500 ] && echo "a tree of more than 500 entries"
good=0
for round in $(seq 12); do
  # Three of four begin with nothing, the others with a cache.
  rm -rf node_modules bun.lock
  [ $((round % 4)) = 0 ] || rm -rf "$T/cache"
  "$BAO" install >/dev/null 2>&1 &
  child=$!
  sleep "$(awk "BEGIN { print ($round * 7 % 12) * 0.025 }")"
  kill -9 $child 2>/dev/null
  wait $child 2>/dev/null
  # What is in the lockfile at any moment is a whole one or none.
  [ ! -e bun.lock ] || cmp -s bun.lock "$T/lock" || echo "round $round: a lockfile that is not whole"
  if ! install >"$T/log" 2>&1; then echo "round $round: the second install failed"; cat "$T/log"; continue; fi
  tree node_modules > "$T/got"
  if cmp -s "$T/expected" "$T/got" && cmp -s bun.lock "$T/lock"; then good=$((good + 1)); else echo "round $round differs"; diff "$T/expected" "$T/got" | head -5; fi
done
echo "$good of 12 whole"
# What the killed ones left in the cache goes with the next download, once it is an hour old.
find "$T/cache/.tmp" -mindepth 1 -exec touch -d '2 hours ago' {} +
echo '{"name":"app","dependencies":{"p116":"^1.0.0"}}' > package.json
install >/dev/null 2>&1
ls "$T/cache/.tmp" | wc -l
