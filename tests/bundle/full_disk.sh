# expected: written by hand. A disk that fills up while results are written: the old ones stay whole, and nothing else is left. Needs
# root, to mount a small disk.
T=$(mktemp -d)
if [ "$(id -u)" != 0 ] || ! mkdir "$T/disk" || ! mount -t tmpfs -o size=256k tmpfs "$T/disk" 2>/dev/null; then
  echo "root is needed, and the right to mount" >&2; exit 77
fi
trap 'umount -l "$T/disk"; rm -rf "$T"' EXIT
cd "$T" || exit 1
echo 'console.log("first");' > index.js
echo 'console.log("other");' > other.js
"$BAO" build index.js other.js --outdir disk/out > log 2>&1 || cat log
"$BAO" disk/out/index.js
"$BAO" -e 'require("fs").writeFileSync("index.js", `const text = ${JSON.stringify("x".repeat(600_000))}; export { text }; console.log("second", text.length);`)'
echo "== the disk is full"
"$BAO" build index.js other.js --outdir disk/out; echo "exit code $?"
"$BAO" disk/out/index.js; "$BAO" disk/out/other.js
find disk -type f | sort
echo "== a single file"
"$BAO" build index.js --outfile disk/one.js; echo "exit code $?"
find disk -type f | sort
