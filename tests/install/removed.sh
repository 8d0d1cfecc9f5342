# What an install says of dependencies that are gone: those that package.json files have lost, not directories; nothing of the layout before.
# Recorded from Bun 1.4.5 (BAO=bun gives the same).
. "$(dirname "$0")/support/start.sh"
# say TITLE ARGUMENTS…: the last lines of a command, without times.
say() {
  echo "-- $1"
  shift
  pm plain "$@" | grep -E 'installed|emoved|Checked' | grep -v '^installed'
}
mkdir -p packages/m
echo '{"name":"app","workspaces":["packages/*"]}' > package.json
echo '{"name":"m","version":"1.0.0"}' > packages/m/package.json
say "a workspace without dependencies" install
cd packages/m && say "the first of a member" add b@1.0.0; cd ../..
say "the other layout" install --linker hoisted
say "and back" install --linker isolated
for linker in hoisted isolated; do
  echo "== $linker"
  rm -rf node_modules packages bun.lock
  echo '{"name":"app","dependencies":{"a":"1.0.0","c":"1.0.0","@s/d":"1.0.0"}}' > package.json
  say new install --linker $linker
  say same install --linker $linker
  echo '{"name":"app","dependencies":{"c":"1.0.0"}}' > package.json
  say "two of them gone" install --linker $linker
  echo '{"name":"app","dependencies":{"b":"3.0.0-beta.1"}}' > package.json
  say "another instead" install --linker $linker
  mkdir -p packages/m
  echo '{"name":"m","version":"1.0.0","dependencies":{"b":"1.0.0","a":"2.0.0"}}' > packages/m/package.json
  echo '{"name":"app","workspaces":["packages/*"],"dependencies":{"b":"3.0.0-beta.1"}}' > package.json
  say "a member more" install --linker $linker
  echo '{"name":"m","version":"1.0.0","dependencies":{"b":"1.0.0"}}' > packages/m/package.json
  say "one of its dependencies gone" install --linker $linker
  echo '{"name":"app","dependencies":{"b":"3.0.0-beta.1"}}' > package.json
  say "the member gone" install --linker $linker
done
echo "== nothing that could be removed"
rm -rf node_modules bun.lock
echo '{"name":"app"}' > package.json
pm plain remove a | grep nothing; cat package.json; ls
