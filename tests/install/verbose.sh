# --verbose explains what was decided. By hand.
SUPPORT=$(cd "$(dirname "$0")" && pwd)/support
PACKAGES=$SUPPORT/people.json
export PACKAGES
. "$SUPPORT/start.sh"
echo '{"name":"app","workspaces":{"packages":["p/*"],"catalog":{"dev1":"1.0.0"}},"dependencies":{"react":"^18.0.0","deep":"1.0.0","onlymac":"1.0.0"},"optionalDependencies":{"nosuch":"1.0.0"},"overrides":{"tilde":"1.2.0"},"devDependencies":{"tilde":"^2"}}' > package.json
mkdir -p p/one
echo '{"name":"one","dependencies":{"dev1":"catalog:"},"peerDependencies":{"react":"^17"}}' > p/one/package.json
pm plain install --verbose
rm -rf node_modules
pm plain install --verbose --linker hoisted --production
