# Dependencies that are git repositories. Lockfile, tree and the lines that begin with + are Bun 1.4.5's; errors, semver: and the number of
# calls are ours.
SUPPORT=$(cd "$(dirname "$0")/support" && pwd); . "$SUPPORT/start.sh"; . "$SUPPORT/repositories.sh"
echo "== default branch"; fresh '{"name":"app","dependencies":{"tool":"git+file://'$R'/tool.git"}}'
gpm plain install; lock; find node_modules -type f -o -type l | grep -v '/\.bao' | sort; node_modules/.bin/tool; calls
echo "== nothing to do"; gpm plain install; calls
echo "== from the lockfile: the commit is known, its files are there"; rm -rf node_modules; gpm plain ci; calls
echo "== the repository is there"; rm -rf node_modules "$T"/cache/@G@*; gpm plain ci; calls
for ref in v1.0.0 old 6a6e2e0 'main~2' 'semver:^1.0.0' 'semver:1.0.x'; do
  echo "== $ref"; fresh '{"name":"app","dependencies":{"x":"git+file://'$R'/tool.git#'$ref'"}}'; gpm plain install | grep +; lock | grep '"x"'
done
echo "== update moves a branch, install does not"
fresh '{"name":"app","dependencies":{"tool":"git+file://'$R'/tool.git#main"}}'; gpm plain install | grep +
git clone -q "$R/tool.git" "$T/clone"; (cd "$T/clone" && echo 4 > four.js && git add -A && git commit -qm four && git push -q)
: > "$T/calls"; rm -rf node_modules; gpm plain install | grep +; calls; gpm plain update tool | grep +; calls; grep -c 'tool@' bun.lock
echo "== no package.json, another name"; fresh '{"name":"app","dependencies":{"other":"git+file://'$R'/bare.git"}}'; gpm plain install; lock; ls -A node_modules/other
echo "== add"; fresh '{"name":"app"}'; gpm plain add "git+file://$R/tool.git#v1.0.0"; cat package.json | sed "s#$T#TMP#"; calls
gpm plain add "y@git+file://$R/bare.git" -d; cat package.json | sed "s#$T#TMP#"; gpm plain remove y; ls node_modules
echo "== scripts"; fresh '{"name":"app","dependencies":{"scripted":"git+file://'$R'/scripted.git"}}'; gpm plain install; ls node_modules/scripted
fresh '{"name":"app","dependencies":{"scripted":"git+file://'$R'/scripted.git"},"trustedDependencies":["scripted"]}'; gpm plain install | grep +; ls node_modules/scripted
echo "== isolated"; fresh '{"name":"app","dependencies":{"tool":"git+file://'$R'/tool.git","b":"1.0.0"}}'
gpm plain install --linker isolated; node -p 'require("tool") + require("b")'; readlink node_modules/tool | sed 's/@.*node_modules/…/'
echo "== http, shorthands and ssh addresses"
cat > "$HOME/.gitconfig" <<G
[url "http://localhost:$GIT_PORT/git/tool.git"]
	insteadOf = https://gitlab.com/u/r
	insteadOf = https://bitbucket.org/u/r
	insteadOf = git@ssh.example:u/r.git
[url "file:///nonexistent"]
	insteadOf = https://ssh.example/
G
for spec in "git+http://localhost:$GIT_PORT/git/tool.git#v1.0.0" gitlab:u/r bitbucket:u/r#old git@ssh.example:u/r.git https://gitlab.com/u/r; do
  fresh '{"name":"app","dependencies":{"x":"'$spec'"}}'; gpm plain install | grep -A3 -E '^(\+|error)'; lock | grep '"x"'
done
echo "== two names of one repository are one clone"; rm -rf "$T/cache"
fresh '{"name":"app","dependencies":{"x":"git+file://'$R'/tool.git#v1.0.0","y":"git+file://'$R'/tool.git#v1.1.0"}}'; gpm plain install | grep +; grep -c clone "$T/calls"
echo "== offline"; rm -rf node_modules; gpm plain install --offline | tail -1; rm -rf node_modules bun.lock; : > "$T/calls"; gpm plain install --offline | grep +; grep -c -E 'clone|fetch' "$T/calls"
rm -rf node_modules bun.lock "$T/cache"; gpm plain install --offline
echo "== errors"; export BUN_CONFIG_HTTP_IDLE_TIMEOUT=1
for spec in "git+file://$R/tool.git#nope" "git+file://$R/tool.git#--upload-pack=x" "git+file://$R/none.git" "git+http://localhost:$GIT_PORT/private/x.git" "git+http://me:secret@localhost:$GIT_PORT/hang/x.git"; do
  fresh '{"name":"app","dependencies":{"x":"'$spec'"}}'; gpm plain install | sed -e 's/Operation too slow.*/TOO SLOW/' -e "s/for \"x\" said nothing for 1 s/TOO SLOW/"; ls
done
fresh '{"name":"app","optionalDependencies":{"x":"git+file://'$R'/none.git"}}'; gpm plain install | tail -1; ls
echo "== several at once share one clone"; rm -rf "$T/cache"; unset BUN_CONFIG_HTTP_IDLE_TIMEOUT
for n in 1 2 3 4; do mkdir "$T/p$n"; echo '{"name":"app","dependencies":{"x":"git+file://'$R'/tool.git","y":"git+file://'$R'/tool.git#v1.0.0"}}' > "$T/p$n/package.json"; (cd "$T/p$n" && pm plain install > out) & eval "P$n=$!"; done
wait $P1 $P2 $P3 $P4; for n in 1 2 3 4; do tail -1 "$T/p$n/out"; cmp "$T/p1/bun.lock" "$T/p$n/bun.lock"; ls "$T/p$n/node_modules"; done; ls -A "$T/cache/.tmp"; ls "$T/cache" | grep -c '\.git$'
