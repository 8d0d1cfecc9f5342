# expected: written by hand
# A standard error that takes nothing is no reason to end otherwise: the exit codes are those of what went wrong, not of a panic.
cd "$(mktemp -d)" || exit 1
export BAO_INSTALL_CACHE_DIR="$PWD/cache"
for words in "x" "create" "pm trust"; do
  $BAO $words 2>/dev/full >/dev/null
  echo "$words: $?"
  $BAO $words 2>/dev/null >/dev/null
  echo "$words: $?"
done
echo '{ "dependencies": { "left": "file:./left" } }' > package.json
mkdir left
echo '{ "name": "left", "version": "1.0.0" }' > left/package.json
echo 'not a lockfile' > bun.lock
$BAO install 2>/dev/full >/dev/null
echo "install: $?"
ls node_modules
