# expected: written by hand. bao upgrade on a full disk: the old executable stays, nothing is left, and with room the upgrade works.
# Needs root, to mount a small disk.
. support/upgrade.sh
size=$(($(stat -Lc %s "$BAO") / 1024))
rm -r "$T/bin"; mkdir "$T/bin"
if [ "$(id -u)" != 0 ] || ! mount -t tmpfs -o size=$((size * 3 / 2))k tmpfs "$T/bin" 2>/dev/null; then
  echo "root is needed, and the right to mount" >&2; exit 77
fi
trap '[ -z "$SERVER" ] || kill $SERVER; umount -l "$T/bin"; rm -rf "$T"' EXIT
cp "$BAO" "$T/larger"; printf 'more' >>"$T/larger"
release larger.tar.gz "$T/larger" "bao $VERSION linux-x64"
serve
full() { sed 's/upgrade-[0-9]*-/upgrade-PID-/'; }

cp "$BAO" "$T/bin/bao"
echo "== from a file"
signed --force --from "$T/releases/larger.tar.gz" | full
cmp "$T/bin/bao" "$BAO" && now
echo "== from a server"
signed --force --from "http://localhost:$PORT/files/larger.tar.gz" | full
cmp "$T/bin/bao" "$BAO" && now
echo "== not one byte is free"
head -c 100000000 /dev/zero >"$T/bin/ballast" 2>/dev/null
signed --force --from "$T/releases/larger.tar.gz" | full
rm "$T/bin/ballast"
cmp "$T/bin/bao" "$BAO" && now
echo "== with room"
mount -o remount,size=$((size * 3))k "$T/bin"
signed --force --from "$T/releases/larger.tar.gz"
cmp "$T/bin/bao" "$T/larger" && cmp "$T/bin/bao.previous" "$BAO" && now
