# Reporters: junit, json, tap, a module; several at once.
. support/lib.sh
file a.test.ts <<'TS'
import { test, expect, describe } from "bun:test";
describe("outer", () => {
  describe("inner <&>", () => {
    test("passes", () => { expect(1).toBe(1); });
    test("fails", () => { expect(1).toBe(2); });
  });
  test.skip("skipped", () => {});
});
test.todo("to do");
test("waits", async () => { await Bun.sleep(500); }, 10);
TS
echo 'throw new Error("broken");' >b.test.ts
file own.ts <<'TS'
export default class {
  start({ files }: any) { console.log("start", files.join(" ")); }
  file({ title }: any) { console.log("file", title); }
  test({ title, status, ancestors, errors, line }: any) { console.log("test", [...ancestors, title].join(" / "), status, errors.length, line); }
  error({ file, error }: any) { console.log("error", file, error.message); }
  fileFailed({ title }: any) { console.log("failed", title); }
  fileEnd({ title, duration }: any) { console.log("end", title, typeof duration); }
  async end({ pass, fail, skip, todo, files, failed }: any) { await null; console.log("over", pass, fail, skip, todo, files, failed); }
}
TS
untimed() {
  sed -E -e 's/time="[0-9.e-]*"/time=""/g' -e 's/hostname="[^"]*"/hostname=""/g' -e 's/"(duration|startTime|endTime)":[0-9.]+/"\1":0/g' -e 's/duration_ms: .*/duration_ms: 0/' -e "s#$work#DIR#g"
}
"$BAO" test --reporter=junit --reporter-outfile=reports/junit.xml >out 2>err
echo "exit code $?"
untimed <reports/junit.xml
tail -n 7 err | mask
printf '[test.reporter]\njunit = "from_bunfig.xml"\n' >bunfig.toml
"$BAO" test a >out 2>&1
head -2 from_bunfig.xml | untimed
rm bunfig.toml
"$BAO" test --reporter=tap 2>err | untimed
cat err
"$BAO" test --reporter=json a 2>err | untimed
cat err
t --reporter ./own.ts
t --reporter=./missing.ts
t --reporter=nope
