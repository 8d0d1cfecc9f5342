# bao upgrade: what is there after an upgrade was killed, could not be written, or the user went back.
. support/upgrade.sh

script 9.9.9; release new.tar.gz "$T/script" "bao 9.9.9 linux-x64"
serve

echo == back and forth
cp "$BAO" "$T/larger"; printf 'more' >>"$T/larger"
release larger.tar.gz "$T/larger" "bao $VERSION linux-x64"
fresh
signed --from "$T/releases/larger.tar.gz"
signed --force --from "$T/releases/larger.tar.gz"
cmp "$T/bin/bao" "$T/larger" && cmp "$T/bin/bao.previous" "$BAO" && now
signed --rollback
cmp "$T/bin/bao" "$BAO" && cmp "$T/bin/bao.previous" "$T/larger" && now
signed --rollback
cmp "$T/bin/bao" "$T/larger" && cmp "$T/bin/bao.previous" "$BAO" && now

echo == killed
# At any moment: whole under its name, old or new.
fresh
for delay in 0.05 0.2 0.4 0.7 1; do
  timeout -s KILL $delay "$T/bin/bao" upgrade --force --public-key "$T/key/minisign.pub" --from "$T/releases/larger.tar.gz" >/dev/null 2>&1
  # `timeout` kills itself, too; the upgrade may still wait for the disk. Its lock says when it is gone.
  flock "$T/bin" true
  cmp -s "$T/bin/bao" "$BAO" || cmp -s "$T/bin/bao" "$T/larger" || echo "damaged after $delay"
  "$T/bin/bao" --version >/dev/null || echo "does not run after $delay"
done
# While it writes: by a limit of the size of files, which kills.
fresh
(ulimit -c 0; ulimit -f 20000; "$T/bin/bao" upgrade --force --public-key "$T/key/minisign.pub" --from "$T/releases/larger.tar.gz" >/dev/null 2>&1; [ $? != 0 ] && echo failed)
cmp "$T/bin/bao" "$BAO" && echo whole
# While it downloads.
"$T/bin/bao" upgrade --force --public-key "$T/key/minisign.pub" --from "http://localhost:$PORT/stall/larger.tar.gz" >/dev/null 2>&1 &
CHILD=$!
while [ ! -e "$T/port.stalled" ]; do sleep 0.05; done
kill -9 $CHILD; wait $CHILD 2>/dev/null
cmp "$T/bin/bao" "$BAO" && echo whole
# What was left is gone after the next one.
touch "$T/bin/.bao-upgrade-1-new"
signed --rollback
now
flock "$T/bin" "$T/bin/bao" upgrade --public-key "$T/key/minisign.pub" --from "$T/releases/new.tar.gz" 2>&1 | mask

echo == a file that cannot be written
# As on a full disk, without one: the limit of the size of files does not kill who ignores its signal; the write fails.
fresh
(trap '' XFSZ; ulimit -f 20000; signed --force --from "$T/releases/larger.tar.gz") | sed 's/upgrade-[0-9]*-/upgrade-PID-/'
cmp "$T/bin/bao" "$BAO" && now

echo == of others
mkdir -p "$T/node_modules/@bao-js/linux-x64/bin"
# Whatever $BAO is a link to: the executable is known by where it really lies.
ln -L "$BAO" "$T/node_modules/@bao-js/linux-x64/bin/bao" 2>/dev/null || cp "$BAO" "$T/node_modules/@bao-js/linux-x64/bin/bao"
"$T/node_modules/@bao-js/linux-x64/bin/bao" upgrade 2>&1 | mask
