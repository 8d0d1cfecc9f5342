# patch, patch --commit and patch-commit: the patch files, package.json, bun.lock and folders are Bun 1.4.5's (but for the number in
# .bun-tag-…); the errors' words are ours.
. "$(dirname "$0")/support/start.sh"
lock() { sed -n '/"patched/,/}/p' bun.lock; }
tags() { find node_modules -name '.bun-tag-*' | sed 's/tag-.*/tag-N/' | sort; }
mask() { sed -e 's/patch_hash=[0-9a-f]*/patch_hash=N/' -e 's#comparing .* to#comparing ORIGINAL to#'; }
echo '{"name":"app","dependencies":{"a":"1.0.0","@s/d":"1.0.0","b":"1.5.0","x":"npm:b@1.0.0"}}' > package.json
echo "== prepare"; pm plain patch b@1.5.0; find node_modules/b -type f -links +1; find node_modules/a -type f -links +1 | sort
cd node_modules/b; printf 'module.exports = "patched";\n// new line\n' > index.js; mkdir -p lib "sp ace"; echo new > lib/new.js; chmod +x lib/new.js
printf 'no newline' > nonl; rm bin.js; : > empty; : > "sp ace/em pty"; echo q > "sp ace/f g"; printf 'x' > "ü.js"; printf '\0\1' > data; cd ../..
echo "== an install between does not undo edits"; pm plain install | tail -1; cat node_modules/b/index.js
echo "== refused"; pm plain patch --commit node_modules/b; rm node_modules/b/data; ln -s index.js node_modules/b/link; pm plain patch --commit b@1.5.0; rm node_modules/b/link; ls patches 2>&1; cat package.json
echo "== commit"; pm plain patch --commit node_modules/b; cat patches/*; cat package.json; lock; find node_modules/b -type f | grep -v bun-tag | sort; node -p 'require("b")'; tags
echo "== the cache's original is as it was"; find "$T/cache" -path '*b@1.5.0*' -name index.js | sort | grep -v patch_hash | xargs cat
echo "== nothing to do"; pm plain install; pm plain ci
echo "== again: what was patched stays in the patch"; pm plain patch node_modules/b > /dev/null; echo "// more" >> node_modules/b/index.js; pm plain patch-commit b@1.5.0 | tail -3; grep -c '^diff' patches/b@1.5.0.patch; grep more patches/b@1.5.0.patch
echo "== no changes"; pm plain patch a > /dev/null; pm plain patch --commit a | mask
echo "== scope, another directory, an alias"; pm plain patch @s/d > /dev/null; echo 1 >> node_modules/@s/d/index.js; pm plain patch --commit @s/d --patches-dir my/patches | tail -1; pm plain patch x; echo 2 >> node_modules/x/index.js; pm plain patch --commit node_modules/x | grep +; find my patches -type f | sort; tail -6 package.json
echo "== names"; pm plain patch b; pm plain patch b@9; pm plain patch nothere; pm plain patch --commit; pm plain patch; pm plain patch ./node_modules/nothere; pm plain patch --commit a --patches-dir ../out
echo "== every patch is applied anew"; rm -rf node_modules; pm plain install > /dev/null; tags
echo "== does not apply, is missing, is fixed"; cp patches/b@1.5.0.patch good; sed -i 's/^-module.*/-other/' patches/b@1.5.0.patch; rm -rf node_modules; pm plain install; ls node_modules
rm patches/b@1.5.0.patch; pm plain install; mv good patches/b@1.5.0.patch; pm plain install | tail -1; node -p 'require("b")'
echo "== isolated"; rm -rf node_modules patches my bun.lock; echo '{"name":"app","dependencies":{"c":"1.0.0","b":"1.5.0"}}' > package.json; export BUN_INSTALL_GLOBAL_STORE=
pm plain patch b@2.0.0 --linker isolated | grep '^ '; echo 'module.exports = "isolated";' > node_modules/.bun/b@2.0.0/node_modules/b/index.js
pm plain patch --commit node_modules/.bun/b@2.0.0/node_modules/b --linker isolated | tail -1; ls node_modules/.bun; (cd node_modules/.bun/c@1.0.0/node_modules/c && node -p 'require("b")'); rm -rf node_modules; pm plain ci --linker isolated | tail -1; (cd node_modules/.bun/c@1.0.0/node_modules/c && node -p 'require("b")')
echo "== global store"; export BUN_INSTALL_GLOBAL_STORE=1; rm -rf node_modules; pm plain ci --linker isolated | tail -1; kinds() { (cd node_modules/.bun && for e in *@*; do [ -L "$e" ] && echo "$e shared" || echo "$e own"; done); }; kinds
pm plain patch b@1.5.0 --linker isolated | tail -8; kinds; echo 'module.exports = "shared";' > node_modules/b/index.js; pm plain install --linker isolated | tail -1; node -p 'require("b")'
pm plain patch --commit b@1.5.0 --linker isolated | tail -1; kinds; node -p 'require("b")'; find "$T/cache/links" -name index.js | xargs grep -l shared
true
