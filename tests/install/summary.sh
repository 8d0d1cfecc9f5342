# What the summary counts and lists: a package once in however many places; the dependencies of the member that the command runs in;
# a name that `update` is given twice once; the binary lockfile. Recorded from Bun.
. "$(dirname "$0")/support/start.sh"
told() { pm plain "$@" | grep -E '^\+|^installed|packages? installed|^error'; }
echo '{"name":"app","dependencies":{"b":"2.0.0","x":"npm:b@2.0.0","y":"npm:b@2.0.0"}}' > package.json
told install
rm -rf node_modules bun.lock; mkdir -p m n
echo '{"name":"app","workspaces":["m","n"],"dependencies":{"e":"1.0.0"}}' > package.json
echo '{"name":"m","dependencies":{"b":"2.0.0"}}' > m/package.json
echo '{"name":"n","dependencies":{"a":"1.0.0"}}' > n/package.json
echo "== m"; (cd m && told install)
rm -rf node_modules bun.lock
echo "== add in n"; (cd n && told add c@1.0.0)
echo "== update"; rm -rf m n node_modules bun.lock; echo '{"name":"app"}' > package.json; told update c c; grep -c '"c"' package.json
echo "== binary"; printf '[install]\nsaveTextLockfile = false\n' > bunfig.toml; rm -rf node_modules bun.lock; pm plain install --silent; ls bun.lock*
printf '[install]\nscopes = { s = { token = "t" } }\nregistry = "http://localhost:%s/plain/"\n' "$PORT" > bunfig.toml; echo '{"name":"app","dependencies":{"@s/d":"1.0.0"}}' > package.json
echo "== a scope without a URL"; "$PM" install 2>&1 | grep '^+'; "$PM" install --force --registry "http://localhost:$PORT/plain/" 2>&1 | grep installed | sed 's/ \[.*//'
