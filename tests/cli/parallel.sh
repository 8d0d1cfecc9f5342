# --parallel and --sequential: prefixed output, globs, failures.
. support/lib.sh
file package.json <<'JSON'
{ "scripts": { "build:js": "echo js", "build:css": "sleep 0.2; echo css; echo warn >&2", "fail": "exit 3",
  "failing": "sleep 0.3; exit 3", "slow": "echo started; sleep 30", "args": "printf '<%s>\\n'" } }
JSON
echo 'console.log("a file");' >program.js
# The order of lines of scripts that run at the same time is open.
echo "--- parallel"
"$BAO" run --parallel 'build:*' program.js "echo a command" 2>&1 | tidy | sort
bao run --sequential 'build:*' fail 'build:js'
bao run --sequential --no-exit-on-error fail build:js
# The first one in order counts, whichever is first to end.
echo "--- the first one in order"
"$BAO" run --parallel --no-exit-on-error "sh -c 'sleep 0.3; exit 5'" "sh -c 'exit 6'" >/dev/null 2>&1
echo "exit code $?"
bao run --sequential args -- 'a b' c
bao run --sequential args --silent -- x
bao run --parallel slow failing
bao run --parallel biuld:js
bao run --parallel --if-present none build:js
bao run --parallel
bao run --parallel --sequential build:js
bao run --parallel 'deploy:*'
# A signal ends all of them.
"$BAO" run --parallel slow "sleep 31" >out 2>&1 &
pid=$!
until_in out started
kill -TERM $pid
ended
sort out
# An empty script is none, and those of a glob run in the order of their names.
file package.json <<'JSON'
{ "scripts": { "empty": "", "lint:c": "echo c", "lint:a": "echo a", "lint:b": "echo b" } }
JSON
bao run empty
bao run --sequential --silent 'lint:*'
