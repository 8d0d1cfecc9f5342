# A dependency whose name leads out of node_modules is refused before anything is written, whatever the linker. As in Bun.
. "$(dirname "$0")/support/start.sh"
for name in ../pwned a/../b .bin node_modules @s/../x; do
  echo '{"name":"app","dependencies":{"'$name'":"npm:b@1.0.0"}}' > package.json
  for linker in hoisted isolated; do pm plain install --linker $linker; done
done
ls -A
