# The code blocks of docs/guide/s3.md do what the page says, with a server of this test's own.
# expected: written by hand
port=$(mktemp)
trap 'rm -f "$port"' EXIT
"$BAO" support/objects.mjs >"$port" &
server=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do [ -s "$port" ] && break; sleep 0.1; done
S3_ENDPOINT="http://127.0.0.1:$(cat "$port")" "$BAO" support/run.ts s3
kill "$server"
