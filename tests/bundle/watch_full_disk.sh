# expected: written by hand. A disk that fills up while a watching build writes: the old result stays whole, nothing else is left, and
# the next edit that fits is written. Needs root, to mount a small disk.
T=$(mktemp -d)
if [ "$(id -u)" != 0 ] || ! mkdir "$T/disk" || ! mount -t tmpfs -o size=256k tmpfs "$T/disk" 2>/dev/null; then
  echo "root is needed, and the right to mount" >&2; exit 77
fi
trap 'kill $watching; wait $watching 2>/dev/null; umount -l "$T/disk"; rm -rf "$T"' EXIT
cd "$T" || exit 1
wait_for() { # a line of a file that must come
  for _ in $(seq 600); do grep -q "$1" "$2" 2>/dev/null && return; sleep 0.05; done
  echo "\"$1\" does not come into $2"; cat log
}
files() { # what is on the disk once nothing is being written: a save can be built more than once
  for _ in $(seq 600); do
    found=$(find disk -type f | sort | tr '\n' ' ')
    [ "$found" = "disk/out.js disk/out.js.map " ] && break
    sleep 0.05
  done
  echo "$found" | xargs -n 1
}
edit() { "$BAO" -e "require('fs').writeFileSync('other.js', \`export const text = () => \${JSON.stringify('$1'.repeat($2))};\`)"; }
echo 'import { text } from "./other.js"; console.log(text().slice(0, 4), text().length);' > index.js
edit a 40
"$BAO" build index.js --outfile disk/out.js --sourcemap --watch > log 2>&1 &
watching=$!
wait_for "out.js.map" log
# The folders are watched a moment after that is printed: edits until one is seen.
for _ in $(seq 100); do
  edit b 10; sleep 0.2
  grep -q bbbb disk/out.js && break
done
"$BAO" disk/out.js
edit c 600000
wait_for "ENOSPC" log
grep ENOSPC log | sort -u
"$BAO" disk/out.js
files
edit d 50
wait_for dddd disk/out.js
"$BAO" disk/out.js
edit e 50
wait_for eeee disk/out.js
"$BAO" disk/out.js
files
