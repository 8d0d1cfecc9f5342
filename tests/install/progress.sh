# The progress line: on a terminal only, gone at the end, after an error and after an interruption. By hand.
SUPPORT=$(cd "$(dirname "$0")" && pwd)/support
PACKAGES=$SUPPORT/people.json
export PACKAGES TERM=xterm
. "$SUPPORT/start.sh"
on() {
  timeout 60 python3 "$SUPPORT/terminal.py" "$@" 2>&1 | sed -e 's/ \[[0-9.]*m*s\]//' -e 's/ v[0-9]*\.[0-9]*\.[0-9]*$//' -e "s/$PORT/PORT/g"
}
echo '{"name":"app","dependencies":{"tilde":"1.2.0"}}' > package.json
echo "--- interrupted"
WAIT='Resolving [0/1]' on ctrlc "$PM" install --registry "http://localhost:$PORT/hang/"
WAIT='Resolving [0/1]' on term "$PM" install --registry "http://localhost:$PORT/hang/"
echo "--- an error"
BUN_CONFIG_HTTP_RETRY_COUNT=3 BUN_CONFIG_HTTP_RETRY_BACKOFF=150 on "" "$PM" install --registry "http://localhost:1/"
echo "--- a slow script"
echo '{"name":"app","dependencies":{"slow":"1.0.0","tilde":"1.2.0"},"trustedDependencies":["slow"],"scripts":{"preinstall":"echo mine; sleep 0.4; echo done"}}' > package.json
on "" "$PM" install --registry "http://localhost:$PORT/plain/"
rm -rf node_modules
on "" "$PM" install --no-progress --registry "http://localhost:$PORT/plain/"
echo "--- no terminal, CI, --silent: nothing"
rm -rf node_modules
"$PM" install --registry "http://localhost:$PORT/plain/" 2>&1 | grep 'Linking' >/dev/null && echo shown || echo 'not shown'
rm -rf node_modules
count() {
  LOG=1 timeout 60 python3 "$SUPPORT/terminal.py" "" "$@" --registry "http://localhost:$PORT/plain/" | grep 'Linking' >/dev/null && echo shown || echo 'not shown'
}
count "$PM" install
rm -rf node_modules
count env CI=1 "$PM" install
rm -rf node_modules
count "$PM" install --no-progress
rm -rf node_modules
count "$PM" install --silent
