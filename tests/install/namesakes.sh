# A package that depends on an earlier version of itself, or on another one under its own name. Recorded from Bun 1.4.5 (BAO=bun gives the
# same).
T0=$(mktemp -d)
cat > "$T0/packages.json" <<'END'
{
  "again": { "1.0.0": {}, "2.0.0": { "dependencies": { "again": "1.0.0" } } },
  "@s/again": { "1.0.0": {}, "2.0.0": { "dependencies": { "@s/again": "1.0.0" } } },
  "mask": { "1.0.0": { "dependencies": { "mask": "npm:b@1.5.0" } } }
}
END
export PACKAGES="$T0/packages.json"
. "$(dirname "$0")/support/start.sh"
trap 'kill $REGISTRY_PID 2>/dev/null; rm -rf "$T" "$T0"' EXIT
for linker in hoisted isolated; do
  echo "== $linker"
  rm -rf node_modules bun.lock
  echo '{"name":"app","dependencies":{"again":"2.0.0","@s/again":"2.0.0","mask":"1.0.0"}}' > package.json
  for run in first second; do
    pm plain install --linker $linker | grep -E 'installed|Checked'
    for name in again @s/again mask; do
      node -p "const inner = require('node:module').createRequire(require.resolve('$name/package.json')); [require('$name'), inner('$name')].join(' ')"
    done
  done
  echo '{"name":"app","dependencies":{"again":"1.0.0"}}' > package.json
  pm plain install --linker $linker | grep -E 'installed|emoved|Checked'
  node -p "require('again')"
done
