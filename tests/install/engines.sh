# engines, packageManager, devEngines, and dependencies for other systems. By hand: of all this Bun tells the last only.
SUPPORT=$(cd "$(dirname "$0")" && pwd)/support
PACKAGES=$SUPPORT/people.json
export PACKAGES
. "$SUPPORT/start.sh"
try() {
  rm -rf node_modules bun.lock
  echo "\$ install $*"
  pm plain install "$@"
}
echo '{"name":"app","engines":{"node":">=99","bun":"^1.0.0","npm":"<2"},"packageManager":"pnpm@8.0.0","dependencies":{"tilde":"1.2.0"}}' > package.json
try
try --silent
try --engine-strict
try --engine-strict --force
try --ignore-engines
echo engine-strict=true > .npmrc
try
rm .npmrc
printf '[install]\nengineStrict = true\n' > bunfig.toml
try
rm bunfig.toml
echo "--- devEngines"
echo '{"name":"app","devEngines":{"runtime":[{"name":"deno"},{"name":"node","version":">=20"}],"packageManager":{"name":"bun"},"os":{"name":"linux"}}}' > package.json
try
echo '{"name":"app","devEngines":{"runtime":{"name":"deno","onFail":"warn"},"packageManager":{"name":"yarn","version":"^4","onFail":"ignore"},"os":{"name":"win32","onFail":"error"}}}' > package.json
try
try --force
echo "--- dependencies"
echo '{"name":"app","dependencies":{"engined":"1.0.0","onlymac":"1.0.0"},"optionalDependencies":{"for-mars":"1.0.0"}}' > package.json
try
try --engine-strict
pm plain install --os darwin
ls node_modules
