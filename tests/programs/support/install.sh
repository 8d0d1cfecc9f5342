# Installs the packages of all groups that are not there yet, before the tests, whose own time is limited.
cd "$(dirname -- "$0")/.." || exit 1
. support/lib.sh
for lock in */package-lock.json */bun.lock; do
  packages "$(dirname "$lock")" >/dev/null
done
