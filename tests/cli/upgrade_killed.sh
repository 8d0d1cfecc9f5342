# bao upgrade: what is there after an upgrade was killed, the disk was full, or the user went back.
cd "$(dirname "$0")" || exit 1
here=$PWD
tool=$here/../../tools/package/minisign.mjs
T=$(mktemp -d)
SERVER=
trap '[ -z "$SERVER" ] || kill $SERVER; rm -rf "$T"' EXIT
export HOME="$T/home" CI=1 BUN_CONFIG_HTTP_RETRY_BACKOFF=1 BUN_CONFIG_HTTP_RETRY_COUNT=0
unset NPM_CONFIG_REGISTRY BUN_CONFIG_REGISTRY HTTP_PROXY HTTPS_PROXY http_proxy https_proxy NPM_CONFIG_USERCONFIG
mkdir -p "$HOME" "$T/bin" "$T/releases"
VERSION=$("$BAO" --version)
export VERSION
"$BAO" "$tool" generate "$T/key"
"$BAO" "$tool" generate "$T/other"
fresh() { rm -f "$T"/bin/* "$T"/bin/.bao*; ln "$BAO" "$T/bin/bao" 2>/dev/null || cp "$BAO" "$T/bin/bao"; }
# script VERSION [LINE]: an executable that says so.
script() { printf '#!/bin/sh\n%s\necho %s\n' "${2:-}" "$1" >"$T/script"; chmod 755 "$T/script"; }
# release NAME FILE COMMENT [KEY]: an archive of FILE, signed with COMMENT.
release() {
  rm -rf "$T/stage"; mkdir -p "$T/stage/bao-x"
  cp "$2" "$T/stage/bao-x/bao"
  "$BAO" "$tool" sign "$T/${4:-key}/minisign.key" "$T/stage/bao-x/bao" "$3"
  tar -I "gzip -1" -cf "$T/releases/$1" -C "$T/stage" bao-x
}
mask() { sed -e "s#$T#TMP#g" -e "s/${PORT:-no port}/PORT/g" -e "s/$VERSION/VERSION/g" -e 's/[0-9a-f]\{64\}/SHA256/g' -e 's/RW[A-Za-z0-9+/]\{54\}/PUBLIC/g' -e 's/[0-9A-F]\{16\}/KEY/g' -e 's/sha512-[A-Za-z0-9+/=]*/SHA512/g' -e 's/[0-9]* MB/N MB/'; }
upgrade() { echo "-- upgrade $*" | mask; "$T/bin/bao" upgrade "$@" >"$T/out" 2>&1; code=$?; mask <"$T/out"; [ $code = 0 ] || echo "exit code $code"; }
now() { printf 'now %s, files: %s\n' "$("$T/bin/bao" --version)" "$(ls -A "$T/bin" | paste -sd ' ')" | mask; }
signed() { upgrade --public-key "$T/key/minisign.pub" "$@"; }

script 9.9.9; release new.tar.gz "$T/script" "bao 9.9.9 linux-x64"
"$BAO" support/releases.mjs "$T/releases" "$T/port" & SERVER=$!
while [ ! -s "$T/port" ]; do sleep 0.05; done
PORT=$(cat "$T/port")

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
signed --check --from "$T/releases/new.tar.gz"
now
flock "$T/bin" "$T/bin/bao" upgrade --public-key "$T/key/minisign.pub" --from "$T/releases/new.tar.gz" 2>&1 | mask

echo == a full disk
size=$(($(stat -c %s "$BAO") / 1024 * 3 / 2))
cat >"$T/full.sh" <<'S'
mount -t tmpfs -o size="$1k" none "$2/bin" || exit 1
cp "$3" "$2/bin/bao"
"$2/bin/bao" upgrade --force --public-key "$2/key/minisign.pub" --from "$2/releases/larger.tar.gz" 2>&1
echo "exit code $?"
cmp "$2/bin/bao" "$3" && ls -A "$2/bin"
S
unshare -rm sh "$T/full.sh" "$size" "$T" "$BAO" | mask | sed 's/upgrade-[0-9]*-/upgrade-PID-/'

echo == of others
mkdir -p "$T/node_modules/@bao-js/linux-x64/bin"
ln "$BAO" "$T/node_modules/@bao-js/linux-x64/bin/bao" 2>/dev/null || cp "$BAO" "$T/node_modules/@bao-js/linux-x64/bin/bao"
"$T/node_modules/@bao-js/linux-x64/bin/bao" upgrade --check 2>&1 | mask
