# pm fetch, pm cache and its words: what Bun 1.4.5 prints, except for the pack's own format.
. "$(dirname "$0")/support/start.sh"
run() {
  echo "\$ $*" | sed "s,$T,TMP,g"
  timeout 60 "$PM" "$@" --registry "http://localhost:$PORT/plain/" > "$T/out" 2> "$T/err"
  code=$?
  sed -e "s,$T,TMP,g" -e "s/$PORT/PORT/g" -e 's/ \[[0-9.]*m*s\]//' -e 's/^\(bao [a-z ]*\) v.*/\1/' "$T/out"
  sed -e "s,$T,TMP,g" -e "s/$PORT/PORT/g" -e 's/^\(bao [a-z ]*\) v.*/\1/' -e 's/^/err: /' "$T/err"
  [ $code = 0 ] || echo "exit $code"
}
export TMPDIR="$T/tmp"
mkdir -p "$TMPDIR"
echo '{"dependencies":{"a":"1.0.0","@s/d":"1.0.0"}}' > package.json
run pm cache
run pm fetch
run install --lockfile-only
run pm fetch
run pm fetch
ls
rm -rf "$T/cache"
run pm cache pack "$T/none.pack"
run install --ignore-scripts
run pm cache pack "$T/all.pack"
run pm cache pack "$T/all2.pack"
cmp "$T/all.pack" "$T/all2.pack"
rm -rf "$T/cache" node_modules
run pm cache unpack "$T/all.pack"
run pm cache unpack "$T/all.pack"
run install --offline
node -p 'require("a")'
head -c 500 "$T/all.pack" > "$T/cut.pack"
rm -rf "$T/cache"
run pm cache unpack "$T/cut.pack"
find "$T/cache" -name package.json | sed "s,$T,TMP,; s/$PORT/PORT/" | sort
echo junk > "$T/junk.pack"
run pm cache unpack "$T/junk.pack"
run pm cache unpack "$T/gone.pack"
run pm cache pack
run pm cache squeeze
run pm fetch
touch -d '40 days ago' "$T"/cache/a@* "$T"/cache/@s/*
run pm cache prune --max-age often
run pm cache prune --max-age 60
run pm cache prune --dry-run
run pm cache prune | sed 's/([0-9. a-zA-Z]*)/(N)/'
ls "$T/cache" | grep @ | sed "s/$PORT/PORT/"
run pm cache prune --max-age 0 --dry-run
mkdir "$TMPDIR/bunx-$(id -u)-x"
run pm cache rm --dry-run
run pm cache rm
run pm cache rm
ls "$T/cache" "$TMPDIR" 2>&1 | sed "s,$T,TMP,"
