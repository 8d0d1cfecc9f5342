#!/bin/sh
# Three parts of an install, each beside the least it could take: the manifest cache (memcpy of the mapped files), unpacking (libdeflate
# alone, and with the files written), linking (a loop of linkat and mkdirat that knows every name). Exit code 1 where one takes more
# than 1.3 times its limit.
#
#     sh bench/install/micro/run.sh [FOLDER]
#
# FOLDER (default: a temporary one, removed at the end) is filled once over the registry with bao: a project of about 630 packages and
# nine tarballs. It should be on an ext4 with a journal (see bench/install/README.md). Further: BAO (the executable, needed), REGISTRY, ROUNDS.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
registry=${REGISTRY:-https://registry.npmjs.org/}
rounds=${ROUNDS:-7}
(cd "$root" && cargo build -q --release -p bao-install --example bench_manifest --example bench_extract --example bench_link)
: "${BAO:?set BAO to the executable that fills the cache}"
if [ $# -gt 0 ]; then
    folder=$1
    mkdir -p "$folder"
else
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
fi
folder=$(cd "$folder" && pwd)
export HOME="$folder" BUN_INSTALL_CACHE_DIR="$folder/cache" BUN_CONFIG_REGISTRY="$registry"
if [ ! -e "$folder/app/node_modules" ]; then
    mkdir -p "$folder/app"
    cp "$here/package.json" "$folder/app/package.json"
    (cd "$folder/app" && "$BAO" install --ignore-scripts --linker hoisted --silent)
fi
mkdir -p "$folder/tarballs"
for path in antd/-/antd-5.21.0 date-fns/-/date-fns-4.1.0 is-number/-/is-number-7.0.0 lodash/-/lodash-4.17.21 ms/-/ms-2.1.3 \
    next/-/next-15.5.4 react-dom/-/react-dom-19.1.1 typescript/-/typescript-5.6.3 webpack/-/webpack-5.95.0; do
    file="$folder/tarballs/${path##*/}.tgz"
    [ -s "$file" ] || curl -sSf -o "$file" "$registry$path.tgz"
done
failed=0
echo "## manifest cache"
"$target/release/examples/bench_manifest" "$folder/cache" "$folder/app/bun.lock" "$rounds" "$registry" || failed=1
echo "## unpacking (CPU milliseconds)"
"$target/release/examples/bench_extract" "$folder/unpacked" "$rounds" "$folder"/tarballs/*.tgz || failed=1
rm -rf "$folder/unpacked"
echo "## linking"
"$target/release/examples/bench_link" "$folder/cache" "$folder/app" "$folder/linked" "$rounds" || failed=1
rm -rf "$folder/linked"
exit $failed
