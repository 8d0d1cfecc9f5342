# pm diff between versions, directories and tarballs. What it prints is Bun 1.4.5's, but for the first line of a binary file.
. "$(dirname "$0")/support/start.sh"
run() {
  echo "\$ $*"
  timeout 60 "$PM" "$@" --registry "http://localhost:$PORT/plain/" > "$T/out" 2> "$T/err"
  code=$?
  sed -e "s,$T,TMP,g" -e "s/$PORT/PORT/g" "$T/out"
  sed -e "s,$T,TMP,g" -e "s/$PORT/PORT/g" -e 's/^/err: /' "$T/err"
  [ $code = 0 ] || echo "exit $code"
}
echo '{"name":"app","dependencies":{"a":"1.0.0"}}' > package.json
pm plain install > /dev/null
run pm diff a
run pm diff a@1.0.0 2.0.0 --stat
run pm diff b@1.0.0 b@1.5.0 :package.json
run pm diff b@1.0.0 9
run pm diff nobody@1.0.0 2
run pm diff a@1.0.0 1.0.0
mkdir -p one/lib one/node_modules two
echo '{"name":"d","version":"1.0.0","main":"x","dependencies":{"q":"1"}}' > one/package.json
echo '{"name":"d","version":"2.0.0","dependencies":{"r":"1"},"scripts":{"postinstall":"rm -rf /"}}' > two/package.json
printf 'a\nb\n' > one/lib/gone.txt
printf 'new\nfile' > two/new.txt
printf 'a\0b' > one/bin.dat
printf 'a\0c' > two/bin.dat
printf 'x' > one/exec
printf 'x' > two/exec
chmod +x two/exec
: > two/empty
seq 1 40 > one/numbers
seq 1 40 | sed 's/^7$/seven/; s/^30$/ 30/; /^20$/d' > two/numbers
touch one/node_modules/ignored
run pm diff ./one ./two
run pm diff ./one ./two --stat
run pm diff ./one ./two --name-only
run pm diff ./one ./two --json
run pm diff ./one ./two numbers -U 0
run pm diff ./one ./two :numbers -w -U1
run pm diff ./one ./two :nothing
run pm diff ./one ./two --minify
