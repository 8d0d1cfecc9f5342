# Shared by the tests of `bao upgrade`: a home, keys, and a folder of releases of their own; $T/bin has the bao that is replaced.
tool=$PWD/../../tools/package/minisign.mjs
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
fresh() { rm -f "$T"/bin/* "$T"/bin/.bao*; ln -L "$BAO" "$T/bin/bao" 2>/dev/null || cp "$BAO" "$T/bin/bao"; }
# script VERSION [LINE]: an executable that says so.
script() { printf '#!/bin/sh\n%s\necho %s\n' "${2:-}" "$1" >"$T/script"; chmod 755 "$T/script"; }
# release NAME FILE COMMENT [KEY]: an archive of FILE, signed with COMMENT.
release() {
  rm -rf "$T/stage"; mkdir -p "$T/stage/bao-x"
  cp "$2" "$T/stage/bao-x/bao"
  "$BAO" "$tool" sign "$T/${4:-key}/minisign.key" "$T/stage/bao-x/bao" "$3"
  tar -I "gzip -1" -cf "$T/releases/$1" -C "$T/stage" bao-x
}
# The version comes last: its dots stand for themselves, and a key may look like one.
dotted=$(echo "$VERSION" | sed 's/[.]/[.]/g')
mask() { sed -e "s#$T#TMP#g" -e "s/${PORT:-no port}/PORT/g" -e 's/[0-9a-f]\{64\}/SHA256/g' -e 's/RW[A-Za-z0-9+/]\{54\}/PUBLIC/g' -e 's/[0-9A-F]\{16\}/KEY/g' -e 's/sha512-[A-Za-z0-9+/=]*/SHA512/g' -e 's/[0-9]* MB/N MB/' -e "s/$dotted/VERSION/g"; }
upgrade() { echo "-- upgrade $*" | mask; "$T/bin/bao" upgrade "$@" >"$T/out" 2>&1; code=$?; mask <"$T/out"; [ $code = 0 ] || echo "exit code $code"; }
now() { printf 'now %s, files: %s\n' "$("$T/bin/bao" --version)" "$(ls -A "$T/bin" | paste -sd ' ')" | mask; }
signed() { upgrade --public-key "$T/key/minisign.pub" "$@"; }
# serve: the releases over HTTP, at $PORT.
serve() {
  "$BAO" support/releases.mjs "$T/releases" "$T/port" & SERVER=$!
  while [ ! -s "$T/port" ]; do sleep 0.05; done
  PORT=$(cat "$T/port")
}
