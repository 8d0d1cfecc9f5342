# Scripts of package.json: pre and post, arguments, exit codes, signals, the environment, where they run.
. support/lib.sh
file package.json <<'JSON'
{
  // comments and trailing commas are fine
  "name": "demo", "version": "1.2.3",
  "config": { "port": 8080, "deep": { "on": true } },
  "scripts": {
    "prehello": "echo before",
    "hello": "echo hello",
    "posthello": "echo after",
    "args": "printf '[%s]\\n'",
    "fail": "exit 3",
    "prebad": "exit 4",
    "bad": "echo not reached",
    "term": "kill -TERM $$",
    "int": "kill -INT $$",
    "where": "pwd; echo $INIT_CWD; echo $npm_config_local_prefix",
    "vars": "env | grep -E '^npm_(package|lifecycle|command)' | sort",
    "agent": "echo ${npm_config_user_agent%% *}",
    "tool": "tool from script",
    "nested": "npm run hello && yarn args x",
    "quoted": "echo 'npm run hello'",
    "path": "echo $PATH | tr ':' '\\n' | grep \"$PROJECT\"",
    "lines": "echo one\necho two",
    "empty": "",
  },
}
JSON
mkdir -p node_modules/.bin sub/deep
printf '#!/bin/sh\necho tool "$@"\n' >node_modules/.bin/tool
chmod +x node_modules/.bin/tool
bao run hello
bao hello a b
bao run --silent args -- 'a b' '$HOME' "it's" '' '*' 'a"b' 'a\b' -x --y=1 'é' '`x`' '!'
bao run args 1 --silent
bao run fail
bao --silent fail
bao run bad
bao run term
bao run int
bao run tool
bao tool directly
bao run nested
bao run quoted
bao run lines
bao run empty
bao run vars
bao run --silent agent
export PROJECT="$dir"
cd sub/deep || exit 1
bao run --silent where
bao run --silent path
cd ../..
bao --cwd sub/deep run --silent where
# A signal to bao reaches the script.
file slow/package.json <<'JSON'
{ "scripts": { "wait": "trap 'echo caught; exit 7' TERM; echo ready; while :; do sleep 0.05; done" } }
JSON
"$BAO" --cwd slow run --silent wait >out 2>&1 &
pid=$!
until_in out ready
kill -TERM $pid
ended
cat out
# Not for scripts: .env files. Only what is named.
echo FROM_FILE=1 >.env
file package.json <<'JSON'
{ "scripts": { "show": "echo [$FROM_FILE]" } }
JSON
bao run --silent show
bao --env-file=.env run --silent show
bao run
