# Names for completions of shells: the kinds of `bun getcompletes`, recorded from Bun 1.4.5 (which ends without a line end), and bao's own.
# expected: recorded from bun 1.4.5
. ./support/lib.sh
mkdir -p node_modules/.bin sub
echo '{"scripts":{"build":"x","dev":"y z","a:b":"c"}}' >package.json
touch one.js two.ts three.mjs four.txt sub/five.js
printf '#!/bin/sh\n' >node_modules/.bin/tool
chmod +x node_modules/.bin/tool
for kind in s b j r g i z a; do
  echo "== $kind"
  "$bao_path" getcompletes $kind
done
echo "== scripts"; "$bao_path" getcompletes scripts
echo "== all"; "$bao_path" getcompletes | grep -cE '^(a:b|build|dev|tool|install|create|upgrade)$'
"$bao_path" getcompletes nonsense; echo "exit code $?"
for shell in bash zsh fish; do "$bao_path" completions $shell | head -1; done
"$bao_path" completions bash | grep -c upgrade
