# expected: written by hand
# cli/old_glibc.c: a program that is linked with it asks for no function newer than glibc 2.31, and what it puts in the place of
# newer ones works, also as on a system that has none.
cd "$(dirname "$0")" || exit 1
[ "$(uname -m)" = x86_64 ] || exit 77
for tool in cc g++ ld.lld; do command -v $tool >/dev/null 2>&1 || exit 77; done
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
cat >"$T/needs.mjs" <<'JS'
import { readFileSync } from "node:fs";
const { needs } = await import(process.argv[2]);
const { libraries, glibc } = needs(readFileSync(process.argv[3]));
console.log(Number(glibc.slice(2)) <= 31 ? "old enough" : glibc, libraries.filter((name) => /pthread|dl/.test(name)).sort().join(" "));
JS
for flag in -DBAO_AS_ON_TODAYS -DBAO_AS_ON_OLD_GLIBC; do
  cc -O2 $flag -c ../../cli/old_glibc.c -o "$T/old.o" || exit 1
  g++ -O1 -fuse-ld=lld -no-pie -static-libgcc -static-libstdc++ support/old_glibc.cc "$T/old.o" \
    -Wl,--no-as-needed -l:libpthread.so.0 -l:libdl.so.2 -Wl,--as-needed,--gc-sections -o "$T/program" || exit 1
  "$BAO" "$T/needs.mjs" "$PWD/../../tools/package/elf.mjs" "$T/program"
  "$T/program" one two
  echo "exit code $?"
done
