# `trustedDependencies` names packages, never aliases: a package chooses the aliases of what it depends on. Recorded from Bun.
SUPPORT=$(cd "$(dirname "$0")" && pwd)/support
PACKAGES=$SUPPORT/people.json
export PACKAGES
. "$SUPPORT/start.sh"
try() {
  rm -rf node_modules bun.lock
  echo '{"name":"app","dependencies":{"other":"npm:scripted@1.0.0"},"trustedDependencies":["'"$1"'"]}' > package.json
  pm plain install --linker hoisted | grep -c Blocked
  if [ -f node_modules/other/env.txt ]; then echo "$1: scripts ran"; else echo "$1: no script ran"; fi
}
try other
try scripted
