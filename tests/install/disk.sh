# A full disk, then room; a cache that cannot be written to. By hand. Needs root, to mount and to become somebody else.
. "$(dirname "$0")/support/start-many.sh"
if [ "$(id -u)" != 0 ] || ! mkdir "$T/disk" || ! mount -t tmpfs -o size=600k tmpfs "$T/disk" 2>/dev/null; then
  echo "root is needed, and the right to mount" >&2; exit 77
fi
trap 'kill $REGISTRY_PID 2>/dev/null; umount -l "$T/disk"; rm -rf "$T"' EXIT
json='{"name":"app","dependencies":{"p119":"^1.0.0","p118":"^2.0.0","@scope/p113":"1.0.0","p117":"*","p110":"^2.0.0"}}'
mask() { sed -e "s#$T#TMP#g" -e 's/ \[[0-9.]*m*s\]//' -e 's/^bao \([a-z]*\) v.*/bao \1/' -e 's/bao-[0-9a-f-]*/bao-N/g' -e 's#/[^ ]*: No space#PLACE: No space#' -e 's#p[0-9]*@#pN@#'; }
echo "== everything on the full disk"
mkdir "$T/disk/app"; cd "$T/disk/app" || exit 1
echo "$json" > package.json
BUN_INSTALL_CACHE_DIR=$T/disk/cache "$BAO" install >"$T/log" 2>&1; echo "exit $?"
grep -c 'No space left on device' "$T/log" | sed 's/^[1-9][0-9]*$/says that the disk is full/'
[ "$(cat package.json)" = "$json" ] && echo "package.json is as it was"
[ ! -e bun.lock ] || "$BAO" install --lockfile-only --frozen-lockfile >/dev/null && echo "no lockfile, or a whole one"
mount -o remount,size=64m "$T/disk"
BUN_INSTALL_CACHE_DIR=$T/disk/cache "$BAO" install >"$T/log" 2>&1; echo "with room: exit $?"
tree node_modules > "$T/got"
cd "$T/app" || exit 1
echo "$json" > package.json
install >/dev/null 2>&1; tree node_modules > "$T/expected"
cmp "$T/expected" "$T/got" && echo "the same tree"
echo "== a lockfile that has no room"
rm -rf node_modules "$T/disk/app"; mkdir "$T/disk/app"; cd "$T/disk/app" || exit 1
echo "$json" > package.json; cp "$T/app/bun.lock" .
dd if=/dev/zero of="$T/disk/filler" bs=1k 2>/dev/null
cp bun.lock "$T/lock"
install --lockfile-only >/dev/null 2>&1
"$BAO" add p116 >"$T/log" 2>&1; echo "exit $?"
grep -c 'No space left on device' "$T/log"; ls -A | sort | tr '\n' ' '; echo
cmp bun.lock "$T/lock" && [ "$(cat package.json)" = "$json" ] && echo "both files are as they were"
echo "== a cache that cannot be written to"
# Of another user, who may be able neither to reach the temporary directory of this one nor to write to it: theirs is at /mnt.
cat > "$T/theirs.sh" <<'SH'
mount --bind "$1" /mnt && cd /mnt/theirs || exit 1
export HOME=/mnt/theirs TMPDIR=/mnt/theirs/tmp BUN_INSTALL_CACHE_DIR=/mnt/cache
exec setpriv --reuid=65534 --regid=65534 --clear-groups /mnt/bao install
SH
theirs() { unshare -m sh "$T/theirs.sh" "$T" >"$T/log" 2>&1; }
cp "$BAO" "$T/bao"; chmod -R a+rX,a-w "$T/cache"; chmod 755 "$T" "$T/bao"
mkdir -p "$T/theirs/tmp"; cp "$T/app/package.json" "$T/theirs/"; chown -R 65534 "$T/theirs"; cd "$T/theirs" || exit 1
theirs; echo "exit $?"
tree node_modules > "$T/got"; cmp "$T/expected" "$T/got" && echo "the same tree"
rm -rf node_modules bun.lock; echo '{"dependencies":{"p50":"1.0.0"}}' > package.json
theirs; echo "exit $?, not in the cache before"
ls node_modules | head -3; chmod -R u+w "$T/cache"
