# Which files are test files, filters and paths. Recorded with Bun (whose order within a directory is that of the file system, so
# that each has one file here).
. support/lib.sh
for name in z.test.js a/y/3.spec.tsx b/2_test.mjs b/z/1.test.ts c/d/4_spec.cjs node_modules/p/5.test.js .hidden/6.test.js; do
  echo 'test("t", () => {});' | file $name
done
for name in test.js b/x.tests.js c/d.test.json c/atest.ts; do
  echo 'test("never", () => {});' | file $name
done
t
t b
t d/4 z.
t ./b
t ./z.test.js ./a
t ./test.js
t ./node_modules/p
t --path-ignore-patterns "b/**" --path-ignore-patterns "z.*"
t nothing
t z.test.ts
t ./missing.ts
t --pass-with-no-tests nothing
mkdir empty
cd empty
t
cd ..
printf '[test]\nroot = "b"\n' >bunfig.toml
t
