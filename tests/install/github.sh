# Dependencies on GitHub repositories by its API. Lockfile, tree and requests are Bun 1.4.5's.
SUPPORT=$(cd "$(dirname "$0")/support" && pwd); . "$SUPPORT/start.sh"; . "$SUPPORT/repositories.sh"
for spec in u/tool github:u/tool#v1.0.0 https://github.com/u/tool.git#old u/bare; do
  echo "== $spec"; fresh '{"name":"app","dependencies":{"x":"'$spec'"}}'; gpm plain install | grep +; lock; ls -A node_modules/x; cat node_modules/x/.bun-tag "$T/git-log"; echo
done
echo "== from the lockfile, without the cache"; rm -rf node_modules "$T/cache"; : > "$T/git-log"; gpm plain ci; cat "$T/git-log"
echo "== nothing to do"; : > "$T/git-log"; gpm plain install; cat "$T/git-log"
echo "== another digest than the lockfile's"; rm -rf node_modules "$T/cache"; sed -i 's/sha512-..../sha512-AAAA/' bun.lock; gpm plain ci; ls node_modules 2>&1 | head -3
echo "== add, one request"; fresh '{"name":"app"}'; gpm plain add u/tool; cat package.json "$T/git-log"
echo "== token"; fresh '{"name":"app","dependencies":{"x":"secret/tool"}}'; gpm plain install; GITHUB_TOKEN=token gpm plain install | grep +
echo "== semver with git"; printf '[url "file://%s/tool.git"]\n insteadOf = https://github.com/u/tool.git\n' "$R" > "$HOME/.gitconfig"
fresh '{"name":"app","dependencies":{"x":"u/tool#semver:~1.0"}}'; gpm plain install | grep +
echo "== no archive"; fresh '{"name":"app","dependencies":{"x":"u/tool"}}'; GITHUB_API_URL="http://localhost:$PORT/html" gpm plain install
echo "== an entry of an older lockfile gets its digest"; fresh '{"name":"app","dependencies":{"x":"u/tool#v1.0.0"}}'; pm plain install > /dev/null; cp bun.lock whole; sed -i 's/"u-tool-2e10177", "[^"]*"/"u-tool-2e10177"/' bun.lock
rm -rf node_modules "$T/cache"; gpm plain install | grep +; cmp bun.lock whole
echo "== update"; fresh '{"name":"app","dependencies":{"x":"u/tool"}}'; pm plain install > /dev/null; rm -rf "$T/clone"; git clone -q "$R/tool.git" "$T/clone"; (cd "$T/clone" && echo 4 > four.js && git add -A && git commit -qm four && git push -q)
gpm plain install | tail -1; gpm plain update; ls node_modules/x
