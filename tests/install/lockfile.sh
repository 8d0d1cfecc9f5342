# --frozen-lockfile, damaged and newer files, merge conflicts, ETags, offline. By hand.
. "$(dirname "$0")/support/start.sh"
echo '{"name":"app","dependencies":{"b":"^1.0.0"}}' > package.json
echo "== no lockfile"; pm plain install --frozen-lockfile
pm plain install
echo "== changed"; sed -i 's/"b":"^1.0.0"/"b":"^1.0.0","a":"1.0.0"/' package.json; pm plain install --frozen-lockfile
echo "== pins stay"; pm plain add b@1.0.0 >/dev/null; sed -i 's/"b": *"1.0.0"/"b": "^1.0.0"/' package.json; pm plain install; grep '"b": \[' bun.lock | cut -c1-20
echo "== damaged"; cp bun.lock good; head -c 100 good > bun.lock; pm plain install --frozen-lockfile; pm plain install >/dev/null; grep -c lockfileVersion bun.lock
echo "== newer"; sed 's/"lockfileVersion": 2/"lockfileVersion": 7/' good > bun.lock; pm plain install --frozen-lockfile
echo "== conflict"
cat > bun.lock <<'L'
{
  "lockfileVersion": 2,
  "configVersion": 1,
  "workspaces": {
    "": {
      "name": "app",
      "dependencies": {
<<<<<<< ours
        "b": "^1.0.0",
=======
        "a": "^1.0.0",
>>>>>>> theirs
      },
    },
  },
  "packages": {
<<<<<<< ours
    "b": ["b@1.0.0", "", {}, ""],
=======
    "a": ["a@1.0.0", "", { "dependencies": { "b": "^1.0.0" } }, ""],

    "b": ["b@1.5.0", "", { "bin": { "bee": "bin.js" } }, ""],
>>>>>>> theirs
  }
}
L
echo '{"name":"app","dependencies":{"b":"^1.0.0","a":"^1.0.0"}}' > package.json
pm plain install --lockfile-only
grep -o '^    "[ab]": \["[ab]@[0-9.]*' bun.lock
echo "== etag"; rm -rf bun.lock node_modules; : > "$T/log"
pm plain update >/dev/null; grep -c 'GET /plain/[ab]$' "$T/log"; grep -c 'GET /plain/[ab] if-none-match' "$T/log"
echo "== offline"; rm -rf bun.lock node_modules; kill $REGISTRY_PID; wait $REGISTRY_PID 2>/dev/null
pm plain install --offline; ls node_modules
echo '{"name":"app","dependencies":{"c":"^1.0.0"}}' > package.json; pm plain install --offline
