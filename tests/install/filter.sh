# --filter of install, outdated, add, remove and update; catalogs with add and update. As Bun 1.4.5 but for the version of react that
# one of the members shares.
PACKAGES=$(cd "$(dirname "$0")" && pwd)/support/people.json
export PACKAGES
. "$(dirname "$0")/support/start.sh"
echo '{"name":"app","workspaces":{"packages":["packages/*"],"catalog":{"tilde":"^1.0.0"}},"dependencies":{"opt1":"^1.0.0"}}' > package.json
mkdir -p packages/one packages/two packages/three
echo '{"name":"one","version":"1.0.0","dependencies":{"two":"workspace:*","react":"18.0.0","tilde":"catalog:"}}' > packages/one/package.json
echo '{"name":"two","version":"1.0.0","dependencies":{"three":"*","deep":"1.0.0"}}' > packages/two/package.json
echo '{"name":"three","version":"1.0.0","dependencies":{"nometa":"^0.1.0"}}' > packages/three/package.json
pm plain install
for filter in one one... one^... ...three ...^three '{packages/one}' ./packages/one './packages/t*' '!one' '!./packages/t*' app . ./ '*' one...two '{packages/t*}...' nosuch packages/one '@x/*'; do
  rm -rf node_modules packages/*/node_modules
  echo "--- filter $filter"
  pm plain install --filter "$filter" 2>&1 | grep -E 'warn|error|Checked|installed'
  (ls -d node_modules/.bun/*@* node_modules/* packages/*/node_modules/* 2>/dev/null) | sed 's#node_modules/.bun#.bun#; s#packages/##; s#/node_modules##' | tr '\n' ' '
  echo
done
(cd packages/one && pm plain install --filter ./ | tail -2 && pm plain install --filter '{../two}' | tail -2)
echo "--- outdated"
pm plain outdated
pm plain outdated -r
pm plain outdated --filter 'o*'
pm plain outdated --filter './packages/t*' '!deep'
pm plain outdated 'ti*' -r
pm plain outdated --filter nosuch
echo "--- add, remove, update"
pm plain add --filter two @types/x
pm plain add --filter '*' dev1@1.0.0 -d
pm plain remove --filter '!one' dev1
pm plain update --filter three nometa
pm plain add --filter nosuch dev1
pm plain update react
pm plain update -r --latest
cat package.json packages/*/package.json
echo "--- catalogs"
pm plain add --catalog withbin
pm plain add --catalog=test dev1 -d
(cd packages/one && pm plain add --catalog opt1@1.0.0)
(cd packages/two && pm plain add tilde opt1@1.0.9)
pm plain add --catalog withbin@1.0.0
pm plain add --only-missing react withbin
cat package.json packages/one/package.json packages/two/package.json
pm plain update -r -L
sed -n '/"catalog"/,/^  },/p' package.json
sed -n '/"catalog"/,/"packages"/p' bun.lock
echo '{"name":"app"}' > package.json
pm plain add --catalog withbin
