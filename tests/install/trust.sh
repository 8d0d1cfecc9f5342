# pm untrusted, pm trust, pm licenses, pm ls: a trusted package's scripts run, package.json and bun.lock name it. Words are Bun 1.4.5's.
. "$(dirname "$0")/support/start.sh"
run() {
  echo "\$ $*"
  timeout 60 "$PM" "$@" > "$T/out" 2> "$T/err"
  code=$?
  sed -e "s,$T,TMP,g" -e 's/ \[[0-9.]*m*s\]//' -e 's/^\(bao [a-z ]*\) v.*/\1/' "$T/out"
  sed -e "s,$T,TMP,g" -e 's/^\(bao [a-z ]*\) v.*/\1/' -e 's/^/err: /' "$T/err"
  [ $code = 0 ] || echo "exit $code"
}
mkdir one two broken
cat > one/package.json <<'END'
{ "name": "one", "version": "1.0.0", "license": "ISC", "author": { "name": "A", "email": "a@b" }, "scripts": { "preinstall": "echo pre-$npm_package_name >> ../../log", "postinstall": "echo post-$npm_lifecycle_event >> ../../log" }, "dependencies": { "two": "file:../two" } }
END
echo '{ "name": "two", "version": "2.0.0", "license": { "type": "MIT" }, "scripts": { "install": "echo two >> ../../log" } }' > two/package.json
echo '{ "name": "broken", "version": "1.0.0", "licenses": [{ "type": "MIT" }, { "type": "GPL" }], "scripts": { "install": "echo bad; exit 7" } }' > broken/package.json
cat > package.json <<'END'
{
  "name": "app",
  "dependencies": {
    "a": "^1.0.0",
    "one": "file:one",
    "two": "file:two"
  },
  "devDependencies": {
    "broken": "file:broken",
    "c": "*"
  }
}
END
run pm untrusted
pm plain install > /dev/null
run pm untrusted
run pm trust
run pm trust a
run pm trust --all --dry-run
run pm trust broken
run pm trust one two
cat log package.json
grep -A4 trusted bun.lock
run pm untrusted
run pm ls --trusted
run pm ls --prod
run pm ls b a
run pm ls nobody
run pm ls -g
run pm licenses
run pm licenses --prod --long
run pm licenses --dev
run pm licenses --json
run pm licenses other
echo "add --trust: a package without install scripts needs no trust"
mkdir "$T/fresh"; cd "$T/fresh" || exit 1
echo '{"name":"fresh"}' > package.json
pm plain add --trust b@1.0.0 > /dev/null; cat package.json; echo
pm plain add --trust a@2.0.0 one@file:../app/one > /dev/null; cat package.json; echo
