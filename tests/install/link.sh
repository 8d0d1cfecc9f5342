# link and unlink: registration, links in projects, link: dependencies. Files, links, lockfiles and the messages of success are Bun 1.4.5's;
# `unlink NAME` is ours.
. "$(dirname "$0")/support/start.sh"
export BUN_INSTALL="$T/bun"
cd "$T"; mkdir -p mylib scoped nameless
echo '{"name":"mylib","version":"1.2.3","bin":{"mylib":"cli.js"},"dependencies":{"b":"1"}}' > mylib/package.json; printf '#!/bin/sh\necho mylib\n' > mylib/cli.js
echo '{"name":"@s/scoped","version":"1.0.0","bin":"x.js"}' > scoped/package.json; echo > scoped/x.js; echo '{"version":"1.0.0"}' > nameless/package.json
in_dir() { (cd "$T/$1" && shift && pm plain "$@"); }
global() { (cd "$T/bun" && find . -type l -printf '%p -> %l\n' | grep -v /cache/ | sed "s#$T#TMP#" | sort); }
tree() { (cd "$T/app" && find node_modules -type l -printf '%p -> %l\n' | sort); }
lock() { sed -n '/"packages"/,$p' bun.lock | sed -e "s/$PORT/PORT/g" -e "s/sha512-[A-Za-z0-9+/=]*/sha512-X/g"; }
echo "== register"; in_dir mylib link; in_dir scoped link; in_dir nameless link; in_dir mylib link --dry-run; global; ls -l "$T/mylib/cli.js" | cut -c1-10
cd "$T/app"; echo '{"name":"app","dependencies":{"a":"1.0.0"}}' > package.json
echo "== use without saving"; pm plain install > /dev/null; cp bun.lock before; pm plain link mylib; tree; cat package.json; cmp bun.lock before; node_modules/.bin/mylib
echo "== a later install leaves it"; pm plain install; tree
echo "== save"; pm plain link --save @s/scoped; cat package.json; lock; tree; pm plain install; pm plain ci
echo "== not registered"; pm plain link nothere; pm plain link ../mylib
echo "== unlink in the project"; pm plain unlink mylib @s/scoped | grep -v done; cat package.json; tree
echo "== paths"; mkdir -p sub; echo '{"name":"subq","version":"3.0.0","dependencies":{"b":"1.0.0"},"bin":"x.js"}' > sub/package.json; touch sub/x.js
echo '{"name":"app","dependencies":{"lib":"link:../mylib","q":"link:./sub","n":"link:../nameless"}}' > package.json; rm -rf node_modules bun.lock; pm plain install; lock; tree
echo '{"name":"app","dependencies":{"lib":"link:../gone"}}' > package.json; rm -rf node_modules bun.lock; pm plain install
echo "== alias, isolated"; echo '{"name":"app","dependencies":{"z":"link:mylib","a":"1.0.0"}}' > package.json; pm plain install --linker isolated > /dev/null; lock; readlink node_modules/z; ls node_modules/.bin
echo "== unregister"; in_dir mylib unlink; in_dir mylib unlink; global; rm -rf node_modules; pm plain install
