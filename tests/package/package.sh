# ./x package: what it makes of this executable is unpacked or installed as a user would, and runs a program.
cd "$(dirname "$0")" || exit 1
tools=$PWD/../../tools/package
T=$(mktemp -d)
SERVER=
trap '[ -z "$SERVER" ] || kill $SERVER; rm -rf "$T"' EXIT
export HOME="$T/home" CI=1
unset NPM_CONFIG_REGISTRY BUN_CONFIG_REGISTRY HTTP_PROXY HTTPS_PROXY http_proxy https_proxy NPM_CONFIG_USERCONFIG BAO_INSTALL BAO_DOWNLOAD BAO_PUBLIC_KEY
mkdir -p "$HOME"
VERSION=$("$BAO" --version)
mask() { sed -e "s#$T#TMP#g" -e "s/$VERSION/VERSION/g" -e "s/${PORT:-no port}/PORT/g"; }
echo 'const text: string = "hello"; console.log(text, process.argv0, Bun.version.split(".").length)' >"$T/hello.ts"
"$BAO" "$tools/minisign.mjs" generate "$T/key"

echo == made
BAO_SIGNING_KEY="$T/key/minisign.key" SOURCE_DATE_EPOCH=1700000000 BAO_MAINTAINER='A <a@example.org>' "$BAO" "$tools/main.mjs" --exe "$BAO" --level 1 --out "$T/dist" 2>&1 | mask
(cd "$T/dist" && sha256sum --check --quiet SHA256SUMS && sha256sum --check --quiet "bao-$VERSION-linux-x64.tar.gz.sha256" && echo sums fit)

echo == tarball
tar -xzf "$T/dist/bao-$VERSION-linux-x64.tar.gz" -C "$T"
(cd "$T" && find "bao-$VERSION-linux-x64" -type f | sort | mask)
"$BAO" "$tools/minisign.mjs" verify "$T/key/minisign.pub" "$T/bao-$VERSION-linux-x64/bao" | mask
"$T/bao-$VERSION-linux-x64/bao" "$T/hello.ts" | mask
bash -n "$T/bao-$VERSION-linux-x64/completions/bao.bash" && echo completions
tar -tvzf "$T/dist/bao-$VERSION-linux-x64.tar.gz" | awk '{print $2, $4}' | sort -u

echo == Debian
deb=$T/dist/bao_${VERSION}_amd64.deb
dpkg-deb --info "$deb" | sed -n '/Package/,$p' | sed -e 's/Installed-Size: [0-9]*/Installed-Size: N/' -e 's/libc6 (>= 2.[0-9]*)/libc6 (>= 2.N)/' | mask
dpkg-deb --contents "$deb" | awk '{print $1, $2, $6, $7, $8}' | mask
dpkg-deb -x "$deb" "$T/root"
"$T/root/usr/bin/bao" "$T/hello.ts" | mask
[ "$(readlink "$T/root/usr/bin/baox")" = bao ] && echo baox
dpkg-deb -e "$deb" "$T/control" && (cd "$T/root" && md5sum --check --quiet "$T/control/md5sums" && echo sums fit)
# dpkg itself, into a system of its own.
mkdir -p "$T/system/var/lib/dpkg/updates" "$T/system/var/lib/dpkg/info"; touch "$T/system/var/lib/dpkg/status"
dpkg --root="$T/system" --force-depends --force-not-root --force-script-chrootless --install "$deb" >"$T/log" 2>&1 || cat "$T/log"
dpkg --root="$T/system" --status bao 2>/dev/null | grep -E '^(Status|Version)' | mask
# The names of Bun's commands are a package of their own, which leaves a Bun alone that is there.
names=$T/dist/bao-as-bun_${VERSION}_all.deb
dpkg-deb --info "$names" | sed -n '/Package/,$p' | mask
dpkg-deb --contents "$names" | awk '{print $1, $2, $6, $7, $8}'
install() { dpkg --root="$T/system" --force-not-root --force-script-chrootless --install "$names" >"$T/log" 2>&1; code=$?; grep '^bao-as-bun' "$T/log"; return $code; }
mkdir -p "$T/system/usr/bin"; echo theirs >"$T/system/usr/bin/bunx"
install || cat "$T/system/usr/bin/bunx"
rm "$T/system/usr/bin/bunx"; install || cat "$T/log"; install || cat "$T/log"
"$T/system/usr/bin/bun" -p 1+1 && "$T/system/usr/bin/bunx" --help | head -1

echo == npm
"$BAO" support/registry.mjs "$T/dist" "$T/port" & SERVER=$!
while [ ! -s "$T/port" ]; do sleep 0.05; done
PORT=$(cat "$T/port")
for name in bao bao-js-linux-x64; do tar -tzf "$T/dist/$name-$VERSION.tgz" | sort | mask; done
# By bao, whose rule is to run no install script that is not trusted: the script starts the executable. Then with its script.
for flags in "" --trust; do
  rm -rf "$T/app"; mkdir "$T/app"; echo '{}' >"$T/app/package.json"
  (cd "$T/app" && "$BAO" add bao $flags --registry "http://localhost:$PORT/" >"$T/log" 2>&1 || cat "$T/log")
  head -c 2 "$T/app/node_modules/bao/bin/bao" | od -An -c
  "$T/app/node_modules/.bin/bao" "$T/hello.ts" | mask
  "$T/app/node_modules/.bin/bao" -e 'process.exit(7)'; echo "exit code $?"
done
# By npm, which runs them.
rm -rf "$T/app"; mkdir "$T/app"; echo '{}' >"$T/app/package.json"
(cd "$T/app" && npm install bao --no-audit --no-fund --loglevel=error --foreground-scripts --cache "$T/npm-cache" --registry "http://localhost:$PORT/" >"$T/log" 2>&1 || cat "$T/log")
cmp "$T/app/node_modules/.bin/bao" "$BAO" && "$T/app/node_modules/.bin/bao" "$T/hello.ts" | mask
rm -rf "$T/app/node_modules/@bao-js"
(cd "$T/app/node_modules/bao" && node install.js 2>&1 | grep Error: | mask)

echo == install.sh
sh -n "$T/dist/install.sh" && sh "$T/dist/install.sh" 2>&1
BAO_INSTALL="$T/local" sh "$T/dist/install.sh" "$T/dist" 2>&1 | mask
"$T/local/bin/bao" "$T/hello.ts" | mask
ls "$T/local/bin" "$T/local/completions" | mask
BAO_INSTALL="$T/net" sh "$T/dist/install.sh" "http://localhost:$PORT/files" 2>&1 | mask | head -1
BAO_INSTALL="$T/absent" sh "$T/dist/install.sh" "http://localhost:$PORT/nowhere" 2>/dev/null | mask; ls "$T/absent" 2>/dev/null
mkdir "$T/other"; sed 's/linux-x64/linux-arm64/' "$T/dist/SHA256SUMS" >"$T/other/SHA256SUMS"
BAO_INSTALL="$T/absent" sh "$T/dist/install.sh" "$T/other" 2>&1 | mask; ls "$T/absent" 2>/dev/null
cp -r "$T/dist" "$T/damaged"; printf x >>"$T/damaged/bao-$VERSION-linux-x64.tar.gz"
BAO_INSTALL="$T/local" sh "$T/dist/install.sh" "$T/damaged" 2>&1 | mask | sed 's/[0-9a-f]\{64\}/SUM/g'
"$T/local/bin/bao" --version | mask
ls -A "$T/local/bin"

echo == Dockerfile
# There is no Docker here: what it copies is there, and what it runs as root has been run above.
grep -v '^#' "$T/dist/Dockerfile" | mask
for file in $(sed -n 's/^COPY \([^ ]*\) .*/\1/p' "$T/dist/Dockerfile"); do [ -f "$T/dist/$file" ] && echo "$file" | mask; done

echo == the same again
# Whatever the umask is, and in a folder that has a release.
cp -r "$T/dist" "$T/again"; rm "$T/again/SHA256SUMS"; touch "$T/again/bao-0.0.0-linux-x64.tar.gz"
(umask 077; SOURCE_DATE_EPOCH=1700000000 BAO_SIGNING_KEY="$T/key/minisign.key" BAO_MAINTAINER='A <a@example.org>' "$BAO" "$tools/main.mjs" --exe "$BAO" --level 1 --out "$T/again" >/dev/null 2>&1)
cmp "$T/dist/SHA256SUMS" "$T/again/SHA256SUMS" && [ "$(ls "$T/dist")" = "$(ls "$T/again")" ] && echo the same bytes
mkdir "$T/mine"; echo text >"$T/mine/thesis.txt"
SOURCE_DATE_EPOCH=1700000000 "$BAO" "$tools/main.mjs" --exe "$BAO" --out "$T/mine" 2>&1 | mask | grep -o 'TMP/mine holds.*' | head -1; cat "$T/mine"/*
