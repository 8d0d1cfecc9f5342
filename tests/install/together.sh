# Two installs in one project at once, and four projects that share one cache at once. By hand.
. "$(dirname "$0")/support/start-many.sh"
echo '{"name":"app","dependencies":{"p119":"^1.0.0","p118":"^2.0.0","@scope/p113":"1.0.0","p117":"*","p110":"^2.0.0"}}' > package.json
install >/dev/null 2>&1 || echo "the undisturbed install failed"
tree node_modules > "$T/expected"; cp bun.lock "$T/lock"
good=0
for round in 1 2 3 4 5 6 7 8; do
  rm -rf node_modules bun.lock
  [ $((round % 2)) = 0 ] || rm -rf "$T/cache"
  install >"$T/one" 2>&1 & one=$!
  install >"$T/two" 2>&1 & two=$!
  wait $one || { echo "round $round: the first failed"; cat "$T/one"; }
  wait $two || { echo "round $round: the second failed"; cat "$T/two"; }
  tree node_modules > "$T/got"
  if cmp -s "$T/expected" "$T/got" && cmp -s bun.lock "$T/lock"; then good=$((good + 1)); else echo "round $round differs"; diff "$T/expected" "$T/got" | head -5; fi
done
echo "one project: $good of 8"
good=0
for round in 1 2 3; do
  rm -rf "$T/cache" "$T"/many
  pids=
  for app in a b c d; do
    mkdir -p "$T/many/$app"; cp package.json "$T/many/$app/"
    (cd "$T/many/$app" && install $([ $app = a ] || [ $app = b ] || echo --linker=isolated)) >"$T/many/$app.log" 2>&1 & pids="$pids $!"
  done
  for pid in $pids; do wait "$pid" || { echo "round $round: one failed"; cat "$T"/many/*.log; }; done
  for app in a b; do
    tree "$T/many/$app/node_modules" > "$T/got"
    if cmp -s "$T/expected" "$T/got"; then good=$((good + 1)); else echo "round $round: $app differs"; diff "$T/expected" "$T/got" | head -5; fi
  done
  (cd "$T/many/c" && tree node_modules) > "$T/c"; (cd "$T/many/d" && tree node_modules) > "$T/d"
  cmp -s "$T/c" "$T/d" && [ "$(wc -l < "$T/c")" -gt 500 ] && good=$((good + 1))
done
echo "one cache: $good of 9"
