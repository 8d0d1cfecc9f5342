# Tarballs by path and by URL: the folder in the cache is named by the content, so two projects with another file at the same path do not
# meet. Lockfile, tree and cache names are Bun 1.4.5's.
. "$(dirname "$0")/support/start.sh"
pack() { mkdir -p "$T/w/package" "$1"; echo '{"name":"t","version":"'$2'.0.0","dependencies":{"b":"1.0.0"}}' > "$T/w/package/package.json"; echo "module.exports = $2;" > "$T/w/package/index.js"; tar -C "$T/w" --sort=name --mtime=2020-01-01 --owner=0 --group=0 --numeric-owner -cf - package | gzip -n > "$1/t.tgz"; }
names() { ls "$T/cache" | grep '^@T@' | sed 's/-[0-9a-f]\{32\}@/-N@/'; }
lock() { sed -n '/"packages"/,$p' bun.lock | sed -e "s/$PORT/PORT/g" -e "s/sha512-[A-Za-z0-9+/=]*/sha512-X/g"; }
for n in 1 2; do mkdir -p "$T/p$n"; pack "$T/p$n" $n; cd "$T/p$n"; echo '{"name":"app","dependencies":{"t":"./t.tgz"}}' > package.json; pm plain install | grep +; cat node_modules/t/index.js; sed 's/-.*/-X/' node_modules/t/.bun-tag; done; names
echo "== forms"; cd "$T/app"; pack "$T/app/ve" 1; cp ve/t.tgz .; echo '{"name":"app","dependencies":{"t":"./t.tgz","v":"file:t.tgz","x":"ve/t.tgz","u":"http://localhost:'$PORT'/plain/b/-/b-1.5.0.tgz"}}' > package.json
pm plain install; lock; names; find node_modules -name .bun-tag | sort
echo "== changed: the lockfile's stays, update takes the new one"; cp "$T/p2/t.tgz" t.tgz; rm -rf node_modules; pm plain install | tail -1; cat node_modules/t/index.js; pm plain update | tail -1; cat node_modules/t/index.js node_modules/x/index.js
echo "== frozen, without the cache, isolated"; rm -rf node_modules "$T/cache"; pm plain ci | tail -1; rm -rf node_modules; pm plain ci --linker isolated | tail -1; ls node_modules/.bun | sed -e "s/$PORT/PORT/" -e 's/+[0-9a-f]\{16\}$/+N/'
echo "== not what the lockfile says"; cp "$T/p1/t.tgz" t.tgz; rm -rf node_modules "$T/cache"; pm plain ci
echo "== add"; rm -rf node_modules bun.lock; echo '{"name":"app"}' > package.json; pm plain add ./ve/t.tgz | grep installed; cat package.json
