# expected: written by hand. A program with packages in archives has its own files fetched before it asks, by the list that its first run
# wrote, if the record is not in memory. Where the temporary directory is on no disk everything is in memory all the time.
T=$(mktemp -d)
HERE=$(cd "$(dirname "$0")" && pwd)
cat > "$T/packages.json" <<'JSON'
{"a":{"1.0.0":{"main":"i.js","files":{"i.js":"module.exports = 1;\n"}}}}
JSON
. "$HERE/support/made-up.sh"
export BAO_CACHE="$T/code"
mkdir -p "$T/app/data" "$T/other"; cd "$T/app" || exit 1
echo '{"dependencies":{"a":"1.0.0"}}' > package.json
"$BAO" install --linker=store > "$T/out" 2>&1 || cat "$T/out"
for i in $(seq 1 20); do head -c 9000 /dev/urandom > data/f$i; done
cat > main.cjs <<'JS'
const fs = require("fs");
require("a");
const [what] = process.argv.slice(2);
const read = (n) => fs.readFileSync(`${__dirname}/data/f${n}`).length;
if (what === "read") {
  // Read in all ways; the last one is a relative path.
  let all = 0;
  for (let n = 1; n <= 10; n++) all += read(n);
  Promise.all([11, 12, 13].map((n) => fs.promises.readFile(`${__dirname}/data/f${n}`))).then(async (list) => {
    for (const one of list) all += one.length;
    for (const n of [14, 15]) for await (const chunk of fs.createReadStream(`${__dirname}/data/f${n}`)) all += chunk.length;
    all += (await Bun.file(`${__dirname}/data/f16`).bytes()).length + fs.readFileSync("data/f17").length;
    for (const n of [18, 19, 20]) all += await new Promise((done) => fs.readFile(`${__dirname}/data/f${n}`, (_, bytes) => done(bytes.length)));
    fs.writeFileSync(`${__dirname}/made`, "");
    fs.closeSync(fs.openSync("/dev/null"));
    console.log(all);
  });
} else setTimeout(() => console.log("has read nothing"), 800);
JS
"$BAO" main.cjs read
RECORD=$(ls "$T"/code/programs/*)
list() { "$BAO" -e 'const archive = await Bun.Archive.open(process.argv[1]); console.log((await archive.get("a").text()).split("\0").map((part) => /[\/a-z].*\/(f\d+|made|null)$/.exec(part)).filter(Boolean).map(([path]) => path.replace(/.*app\//, "")).sort().join(" "))' "$RECORD"; }
list
forget() { for file in "$RECORD" data/*; do [ -f "$file" ] && sync -d "$file"; done; for file in "$RECORD" data/*; do [ -f "$file" ] && dd if="$file" iflag=nocache count=0 2> /dev/null; done; }
in_memory() {
  python3 - <<'PY'
import os
def there(path):
    file = os.open(path, os.O_RDONLY)
    try:
        return os.preadv(file, [bytearray(1)], 8192, os.RWF_NOWAIT) == 1
    except BlockingIOError:
        return False
    except OSError:
        return True
print(sum(there(f"data/f{n}") for n in range(1, 21)), "of 20 in memory")
PY
}
echo "== cold"; forget; "$BAO" main.cjs; in_memory
echo "== of another directory"; forget; (cd "$T/other" && "$BAO" ../app/main.cjs)
"$BAO" main.cjs read; list | cut -d ' ' -f 1-3
echo "== a pipe is not opened"; mv data/f20 kept; mkfifo data/f20; (echo told > data/f20) & WRITER=$!
forget; "$BAO" main.cjs; kill -0 $WRITER && cat data/f20; rm data/f20; mv kept data/f20
echo "== damaged"; "$BAO" -e 'const fs = require("fs"), bytes = fs.readFileSync(process.argv[1]); const at = bytes.indexOf("data/f1\0"); bytes[at] ^= 1; fs.writeFileSync(process.argv[1], bytes)' "$RECORD"
forget; "$BAO" main.cjs read
