// expected: recorded from bun 1.4.5
// Scripts whose meaning Bun's shell and this one share.
import { $ } from "bun";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const dir = mkdtempSync(join(tmpdir(), "shell-grammar-"));
for (const name of ["a.txt", "b.txt", "c d.txt"]) writeFileSync(join(dir, name), `${name}\n`);
mkdirSync(join(dir, "sub/deep"), { recursive: true });
writeFileSync(join(dir, "sub/deep/e.md"), "");
const sorted = (text) =>
  text
    .trim()
    .split(/ (?!d)|\n/)
    .sort()
    .join(",");
$.nothrow();
$.env({ ...process.env, HOME: "/home/u" });

for (const script of [
  "echo a b   c",
  "echo a;echo b",
  "echo a\n\n\necho b\n",
  "  # a comment\necho b#c # another",
  "echo 'a  b' \"c  d\" e\\ f",
  "echo \"a\\$b\\\\ \\a\" '\\a' \\a",
  "echo 'a'\"b\"c",
  "A=1; echo $A \"$A\" '$A'",
  "A='x  y'; echo $A",
  "A='*.txt'; echo $A",
  "A=b=c; echo $A",
  "A=1 B=2 && echo $A$B",
  "A=1 sh -c 'echo $A'; echo \"[$A]\"",
  "A=1; sh -c 'echo [$A]'",
  "export A=1 B=2; sh -c 'echo $A$B'",
  "echo $NOT_SET_AT_ALL|cat",
  'echo $(echo a; echo b) "$(echo a; echo b)"',
  "echo x$(echo 'a b')y",
  "echo `echo hi`",
  "echo $(echo $(echo deep))",
  "$(echo echo hi)",
  "true && echo a || echo b",
  "false && echo a || echo b",
  "false || false || echo c",
  "true || echo a && echo b",
  "(echo a; echo b)",
  "(cd /; pwd) && A=1 && (A=2; echo $A); echo $A",
  "( ( (echo a) ) )",
  "echo a | cat | cat",
  "seq 5 | tail -2 | head -1",
  "if true; then echo a; fi",
  "if false; then echo a; else echo b; fi",
  "if false; then echo a; elif true; then echo b; else echo c; fi",
  "if false\nthen\necho a\nelse\necho b\nfi",
  "if true; then echo a; fi | cat",
  "[[ -f a.txt ]] && echo yes",
  "[[ -d a.txt ]] || echo no",
  "[[ -d sub ]] && echo yes",
  '[[ -z "" ]] && [[ -n x ]] && echo yes',
  "[[ a == a ]] && [[ a != b ]] && echo yes",
  "echo {a,b}{1,2} x{,y}z {a,{b,c}}",
  "echo {1..3} {a} {} a{b",
  "echo '{a,b}' \"{a,b}\" \\{a,b}",
  'echo ~ ~/x x~ "~" ~root',
  "HOME=/h; echo ~/x",
  "echo nothing-matches*",
  "echo 'a.t'*",
  'echo "c d"*',
  "echo a > o1; echo b >> o1; cat < o1",
  "echo a 1> o2; cat o2",
  "sh -c 'echo o; echo e >&2' 2> o3; cat o3",
  "sh -c 'echo o; echo e >&2' &> o4; cat o4",
  "sh -c 'echo o2; echo e2 >&2' &>> o4; cat o4",
  "sh -c 'echo o; echo e >&2' 2>&1",
  "sh -c 'echo o; echo e >&2' 1>&2",
  "ls /nonexistent 2>&1 | cat",
  "echo a > $NOT_SET",
  "exit 7",
  "(exit 7)",
  "sh -c 'exit 9'",
  "sh -c 'kill -9 $$'",
  "sh -c 'exit 3' | true",
  "true | sh -c 'exit 3'",
  "no-such-command",
  "no-such-command || echo caught",
  "/no/such/command",
  "echo a | no-such-command",
  "fi",
]) {
  const result = await $`${{ raw: script }}`.cwd(dir).quiet();
  console.log(
    JSON.stringify(script),
    result.exitCode,
    JSON.stringify(result.stdout.toString()),
    JSON.stringify(result.stderr.toString()),
  );
}
for (const script of ["echo *.txt", "echo **/*.md", "echo sub/*", "ls", "echo *"]) {
  console.log(script, sorted(await $`${{ raw: script }}`.cwd(dir).text()));
}
for (const script of [
  "echo )",
  "(echo",
  "echo $(echo",
  "| echo",
  "echo a &&",
  "echo a && && b",
  "echo >",
  "echo > && a",
  "if true; then echo",
  "if true; then echo a; else echo b",
  "echo a | | b",
]) {
  try {
    await $`${{ raw: script }}`.quiet();
    console.log(JSON.stringify(script), "runs");
  } catch (error) {
    console.log(JSON.stringify(script), error.name, error.message);
  }
}
rmSync(dir, { recursive: true });
