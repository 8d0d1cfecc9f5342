# install, the lockfile it writes, a second install without changes, add and remove. By hand: what Bun prints differs in places.
. "$(dirname "$0")/support/start.sh"
echo '{"name":"app","dependencies":{"a":"^1.0.0","c":"*","@s/d":"1.0.0","x":"npm:b@2.0.0"}}' > package.json
pm plain install
sed -e "s/$PORT/PORT/g" -e "s/sha512-[A-Za-z0-9+\/=]*/sha512-X/g" bun.lock
find node_modules -name package.json | sort
node -p 'require("a") + " " + require("c") + " " + require("x")'
node_modules/.bin/bee
pm plain install
pm plain remove c
pm plain add -d e@1 -E
cat package.json
ls node_modules
pm plain why b
pm plain pm ls
