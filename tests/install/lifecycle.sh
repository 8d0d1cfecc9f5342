# Scripts of the project, its workspace members and trusted packages: which run, what they are told, what is shown. As Bun 1.4.5 (which
# runs the root's preinstall with the others at the end).
SUPPORT=$(cd "$(dirname "$0")" && pwd)/support
PACKAGES=$SUPPORT/people.json
export PACKAGES
. "$SUPPORT/start.sh"
unset INIT_CWD
echo '{"name":"app","version":"2.0.0","config":{"a":"b"},"workspaces":["packages/*"],"scripts":{"preinstall":"echo root-pre; env | grep -E \"^npm_(l|p)|^INIT_CWD|^npm_config_local\" | sort","postinstall":"echo root-post"},"dependencies":{"tilde":"1.2.0","scripted":"1.0.0"},"trustedDependencies":["scripted"],"devDependencies":{"two-scripts":"1.0.0"}}' > package.json
mkdir -p packages/one packages/two
echo '{"name":"one","version":"1.0.0","scripts":{"preinstall":"echo one-pre >> ../../log","prepare":"echo unseen; echo one-prepare $npm_config_local_prefix $INIT_CWD >> ../../log"}}' > packages/one/package.json
echo '{"name":"two","version":"1.0.0","dependencies":{"one":"workspace:*"},"scripts":{"install":"echo two-install >> ../../log"}}' > packages/two/package.json
log() {
  [ -f log ] && sort log | sed "s#$T#TMP#g" && rm log
}
pm plain install --linker hoisted
log
sed "s#$T#TMP#g" node_modules/scripted/env.txt | grep -vE 'npm_execpath|user_agent|node_execpath'
echo "--- again"
pm plain install --linker hoisted
log
echo "--- filter"
pm plain install --linker hoisted --filter one
log
echo "--- ignored"
pm plain install --linker hoisted --ignore-scripts
log
echo "--- verbose shows what packages say"
rm -rf node_modules
pm plain install --linker hoisted --verbose 2>&1 | grep hello
echo "--- failures"
echo '{"name":"app","scripts":{"postinstall":"echo fails; exit 4"}}' > package.json
rm -rf packages bun.lock node_modules
pm plain install
timeout 20 "$PM" install > /dev/null 2>&1
echo "exit $?"
echo '{"name":"app","dependencies":{"scripted":"1.1.0"},"trustedDependencies":["scripted"]}' > package.json
pm plain install
echo "--- a binding.gyp without an install script"
mkdir -p "$T/bin"
printf '#!/bin/sh\necho "node-gyp $*" > built\n' > "$T/bin/node-gyp"
chmod +x "$T/bin/node-gyp"
PATH=$T/bin:$PATH
echo '{"name":"app","dependencies":{"gyp":"1.0.0"},"trustedDependencies":["gyp"]}' > package.json
pm plain install
cat node_modules/gyp/built
