# What goes wrong on the network is an error with URL, package and hint, and nothing half-made is left. By hand.
. "$(dirname "$0")/support/start.sh"
fresh() { rm -rf node_modules bun.lock "$T/cache"; echo "$1" > package.json; }
export BUN_CONFIG_HTTP_IDLE_TIMEOUT=1 BUN_CONFIG_HTTP_RETRY_COUNT=3
for mode in flaky redirect; do
  fresh '{"dependencies":{"b":"1.0.0"}}'
  echo "== $mode"; pm $mode install; ls node_modules
done
export BUN_CONFIG_HTTP_RETRY_COUNT=1
for mode in truncate wrong hang html auth drip endless; do
  fresh '{"dependencies":{"b":"1.0.0"}}'
  echo "== $mode"; pm $mode install; ls node_modules bun.lock 2>&1 | grep -v '^bun.lock$'
done
echo "== not found"; fresh '{"dependencies":{"nothing-here":"1"}}'; pm plain install; ls
echo "== no version"; fresh '{"dependencies":{"b":"^9"}}'; pm plain install
echo "== bad names"; fresh '{"dependencies":{"../escape":"1.0.0"}}'; pm plain install
echo "== optional"; fresh '{"optionalDependencies":{"nothing-here":"1","e":"1.0.0"}}'; pm plain install; ls node_modules
echo "== with a token"; fresh '{"dependencies":{"b":"1.0.0"}}'
SECRET=secret; export SECRET
echo "//localhost:$PORT/auth/:_authToken=\${SECRET}" > .npmrc; pm auth install; rm .npmrc

echo "== a registry that is none"
rm -rf ./* ; for r in example c: c:/ 'https://ex ample.org/' 'http://[www.example.com]/'; do
  printf '[install]\nregistry = "%s"\n' "$r" > bunfig.toml
  echo '{"name":"app","dependencies":{"a":"1"}}' > package.json; timeout 60 "$PM" install 2>&1 | tail -n +2
  echo '{"name":"app","optionalDependencies":{"a":"1"}}' > package.json; timeout 60 "$PM" install 2>&1 | grep warn; rm -f bun.lock
done
timeout 60 "$PM" install --registry example
