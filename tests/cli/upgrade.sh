# bao upgrade: releases from files and from a registry, signatures and digests that are wrong, executables that do not run, and what is
# there after an upgrade was killed, the disk was full, or the user went back.
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

script 9.9.9; release new.tar.gz "$T/script" "bao 9.9.9 linux-x64"; cp "$T/releases/new.tar.gz" "$T/releases/9.9.9.tgz"
fresh
upgrade --help | head -3
upgrade --from "$T/releases/new.tar.gz"
upgrade --from "$T/releases/new.tar.gz" --public-key nonsense
now

echo == a newer release
signed --check --from "$T/releases/new.tar.gz"
now
signed --from "$T/releases/new.tar.gz"
now
"$T/bin/bao.previous" --version | mask
fresh
upgrade --public-key "$(tail -n 1 "$T/key/minisign.pub")" --from "$T/releases/new.tar.gz"
now

echo == what is refused
fresh
cp "$T/releases/new.tar.gz" "$T/releases/summed.tar.gz"
echo "0000000000000000000000000000000000000000000000000000000000000000  summed.tar.gz" >"$T/releases/summed.tar.gz.sha256"
signed --from "$T/releases/summed.tar.gz"
(cd "$T/releases" && sha256sum summed.tar.gz >summed.tar.gz.sha256)
signed --check --from "$T/releases/summed.tar.gz"
release other.tar.gz "$T/script" "bao 9.9.9 linux-x64" other
signed --from "$T/releases/other.tar.gz"
# The executable was changed behind the signature; then what is said about it.
release changed.tar.gz "$T/script" "bao 9.9.9 linux-x64"
echo 'echo evil' >>"$T/stage/bao-x/bao"; tar -czf "$T/releases/changed.tar.gz" -C "$T/stage" bao-x
signed --from "$T/releases/changed.tar.gz"
release renamed.tar.gz "$T/script" "bao 9.9.9 linux-x64"
sed -i 's/bao 9.9.9/bao 9.9.8/' "$T/stage/bao-x/bao.minisig"; tar -czf "$T/releases/renamed.tar.gz" -C "$T/stage" bao-x
signed --from "$T/releases/renamed.tar.gz"
echo nonsense >"$T/stage/bao-x/bao.minisig"; tar -czf "$T/releases/nonsense.tar.gz" -C "$T/stage" bao-x
signed --from "$T/releases/nonsense.tar.gz"
rm "$T/stage/bao-x/bao.minisig"; tar -czf "$T/releases/unsigned.tar.gz" -C "$T/stage" bao-x
signed --from "$T/releases/unsigned.tar.gz"
release mac.tar.gz "$T/script" "bao 9.9.9 darwin-arm64"
signed --from "$T/releases/mac.tar.gz"
release text.tar.gz "$T/script" "some other file"
signed --from "$T/releases/text.tar.gz"
head -c 100 "$T/releases/new.tar.gz" >"$T/releases/cut.tar.gz"
signed --from "$T/releases/cut.tar.gz"
echo text >"$T/releases/text"
signed --from "$T/releases/text"
signed --from "$T/releases/absent"
script 9.9.9 'echo "Illegal instruction" >&2; exit 3'; release broken.tar.gz "$T/script" "bao 9.9.9 linux-x64"
signed --from "$T/releases/broken.tar.gz"
script 9.9.8; release wrong.tar.gz "$T/script" "bao 9.9.9 linux-x64"
signed --from "$T/releases/wrong.tar.gz"
script 0.0.1; release old.tar.gz "$T/script" "bao 0.0.1 linux-x64"; cp "$T/releases/old.tar.gz" "$T/releases/0.0.1.tgz"
signed --from "$T/releases/old.tar.gz"
signed --rollback
signed 9.9.9 --from "$T/releases/new.tar.gz"
signed 9.9.9 --canary
now
signed --force --from "$T/releases/old.tar.gz"
now

echo == a registry
script 9.9.10-canary.1; release 9.9.10-canary.1.tgz "$T/script" "bao 9.9.10-canary.1 linux-x64"
"$BAO" support/releases.mjs "$T/releases" "$T/port" & SERVER=$!
while [ ! -s "$T/port" ]; do sleep 0.05; done
PORT=$(cat "$T/port")
at() { mode=$1; shift; signed "$@" --registry "http://localhost:$PORT/$mode/"; }
fresh
at good --check
at same
at good
now
fresh; at good --canary; now
fresh; at good 0.0.1; now
fresh
at good 1.2.3
at damaged
at old
at bare
upgrade --registry "http://localhost:$PORT/good/"
signed --from "http://localhost:$PORT/files/absent.tar.gz"
now
signed --from "http://localhost:$PORT/files/new.tar.gz"
now
# The settings of the project that is here do not count.
fresh
mkdir -p "$T/project"; echo "registry=http://localhost:1/" >"$T/project/.npmrc"
echo "registry=http://localhost:$PORT/good/" >"$HOME/.npmrc"
(cd "$T/project" && signed --check)
rm "$HOME/.npmrc"
