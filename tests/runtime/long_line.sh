# A 200 MB program on one line.
. support/lib.sh
python3 - "$dir/long.js" <<'PY'
import sys
with open(sys.argv[1], "wb") as f:
    f.write(b'console.log("long line", "')
    chunk = b"x" * (1 << 20)
    for _ in range(200):
        f.write(chunk)
    f.write(b'".length);')
PY
# Such a file must not fill the cache of the person who runs the tests.
BAO_CACHE=0 run long.js
