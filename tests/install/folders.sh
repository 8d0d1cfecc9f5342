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
# A command's file is in its place without the CR of its first line, and links to files are these files. Written by hand: Bun copies both
# each time.
rm -rf node_modules bun.lock lib; mkdir lib
echo '{"name":"app","dependencies":{"lib":"file:./lib"}}' > package.json
echo '{"name":"lib","version":"1.0.0","bin":"run.js"}' > lib/package.json; printf '#!/usr/bin/env node\r\n' > lib/run.js
for options in '--linker hoisted' '--linker isolated' '--backend symlink'; do
  echo "== $options"
  rm -rf node_modules
  for run in first second; do pm plain install $options | grep -E 'installed|Checked'; done
  printf '#!/usr/bin/env node\r\n//%s\r\n' "${options#* }" > lib/run.js
  for run in third fourth; do pm plain install $options | grep -E 'installed|Checked'; done
  tail -n 1 node_modules/lib/run.js | tr '\r' '|'
done
