# `file:` directories are copied again if a file of them is new or another one, and only then. Recorded from Bun 1.4.5 (BAO=bun gives the
# same).
. "$(dirname "$0")/support/start.sh"
say() { pm plain install --linker $linker | grep -E 'installed|Checked'; }
for linker in hoisted isolated; do
  echo "== $linker"
  rm -rf node_modules bun.lock lib; mkdir -p lib/deep/node_modules/x
  echo '{"name":"app","dependencies":{"lib":"file:./lib","b":"1.0.0"}}' > package.json
  echo '{"name":"lib","version":"1.0.0"}' > lib/package.json; echo one > lib/deep/one.js
  say; say
  echo two > lib/two.js; echo three > lib/deep/three.js
  say; cat node_modules/lib/two.js node_modules/lib/deep/three.js
  echo ONE > lib/deep/new; mv lib/deep/new lib/deep/one.js
  say; cat node_modules/lib/deep/one.js
  say
done
