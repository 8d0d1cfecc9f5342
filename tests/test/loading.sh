# Around the files: preloads that fail or wait, bunfig.toml, a directory with the name of a test file, links in a circle, a file that
# cannot be read, byte order mark, line ends, "#!"; a report that cannot be written.
. support/lib.sh
echo 'test("good", () => {});' >a.test.ts
mkdir x.test.ts && echo 'test("inside", () => {});' >x.test.ts/in.test.ts
ln -s . loop && ln -s loop.test.ts loop.test.ts && ln -s /nonexistent dangling.test.ts
printf '\357\273\277test("byte order mark", () => {});' >bom.test.ts
printf 'test("line ends", () => {\r\n  expect(`a\r\nb`).toBe("a\\nb");\r\n});\r\n' >crlf.test.ts
printf '#!/usr/bin/env bao\ntest("number sign", () => {});\n' >shebang.test.ts
printf '\000\001\002' >binary.test.ts
t 2>&1 | grep -avE '^[0-9]+ \||^ *\^|illegal|Illegal|Unexpected'
rm -rf *.test.ts loop
echo 'test("good", () => {});' >a.test.ts
echo 'test("good too", () => {});' >b.test.ts
echo 'throw new Error("preload threw");' >throws.ts
echo 'import { beforeAll } from "bun:test"; await new Promise((resolve) => setTimeout(resolve, 20)); beforeAll(() => console.log("waited"));' >waits.ts
echo 'await new Promise(() => {});' >never.ts
for preload in throws missing waits never; do
  for mode in --no-isolate --isolate; do t $mode --preload ./$preload.ts; done
done
"$BAO" test --parallel=2 --preload ./throws.ts >out 2>err
echo "exit code $?"
for text in '[test' '[test]\nroot = 5' '[test]\nroot = "nope"' '[test]\npreload = ["./missing.ts"]' '[test]\nreporter = "junit"' '[test]\nunknown = 1'; do
  printf "$text\n" >bunfig.toml
  t ./a.test.ts
done
rm bunfig.toml
t --reporter=junit --reporter-outfile=/proc/nope/report.xml ./a.test.ts
t --parallel=0
t --retry=1 --rerun-each=2 ./a.test.ts
t --update-timings ./a.test.ts
for text in '[test]\nretry = 1\nrerunEach = 2' '[test]\nseed = 1' '[test]\nconcurrentTestGlob = []'; do
  printf "$text\n" >bunfig.toml
  t ./a.test.ts
done
