// expected: recorded from bun 1.4.5
// Built-ins, interpolated values, quoting, conditions, globs and redirections, each a script of its own.
import { $ } from "bun";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = mkdtempSync(join(tmpdir(), "shell-cases-"));
let number = 0;
$.nothrow().env({ PATH: process.env.PATH, HOME: "/home/u", LANG: "C" });

/** A folder of its own for a script. */
function fresh() {
  const dir = join(root, String(number++));
  mkdirSync(join(dir, "sub/deep"), { recursive: true });
  for (const name of ["a.txt", "b.txt", "c d.txt", "sub/e.md", "sub/deep/f.md", ".hidden"]) writeFileSync(join(dir, name), `${name}\n`);
  writeFileSync(join(dir, "lines"), "one\ntwo\nthree\n");
  writeFileSync(join(dir, "run.sh"), "#!/bin/sh\necho ran $1\n");
  chmodSync(join(dir, "run.sh"), 0o755);
  symlinkSync("a.txt", join(dir, "link"));
  return dir;
}
const text = (buffer, dir) => JSON.stringify(buffer.toString().replaceAll(dir, "DIR"));
async function show(name, run) {
  const dir = fresh();
  try {
    const { exitCode, stdout, stderr } = await run(dir).cwd(dir).quiet();
    console.log(name, exitCode, text(stdout, dir), text(stderr, dir));
  } catch (error) {
    console.log(name, "throws", error.name, error.message.replaceAll(dir, "DIR"));
  }
}

const scripts = [
  // echo
  "echo", "echo -n", "echo -n a b", "echo -n -n a", "echo -e a", "echo -- a", "echo a '' b", "echo ''", 'echo "" ""', "echo -E a", "echo a\\nb",
  // cd and pwd
  "cd sub && pwd", "cd sub/deep; cd ..; pwd", "cd sub; cd -", "cd missing", "cd a.txt", "cd; pwd", "pwd a", "cd sub deep", "(cd sub); pwd", 
  // cat
  "cat a.txt", "cat a.txt b.txt", "cat < a.txt", "cat a.txt < b.txt", "cat 'c d.txt'", "echo x | cat",
  // touch, mkdir, rm, mv, cp
  "touch new && ls new", "touch missing/x", "touch", "mkdir m && ls m", "mkdir sub", "mkdir -p m/n/o && ls m/n", "mkdir m/n/o",
  "mkdir", "mkdir -p sub && echo ok", "mkdir -v m", "rm a.txt && ls a.txt", "rm missing", "rm -f missing && echo ok", "rm sub", "rm -r sub && echo ok",
  "rm -v a.txt", "rm -rv sub/deep", "rm", "rm -d sub/deep", "mv a.txt z.txt && cat z.txt", "mv missing x", 
  "mv a.txt b.txt missing", "mv a.txt", "mv", "mv -n a.txt b.txt; cat b.txt", "cp a.txt z && cat z", 
  // ls
  "ls missing", "ls a.txt", "ls -d sub", "ls .hidden", "ls a.txt b.txt", 
  // basename, dirname, seq, which, exit, true, false, yes
  "basename /a/b.txt", "basename /", "basename a b", "basename", "dirname /a/b", "dirname a", "dirname /", "dirname", "dirname a/b c/d",
  "seq 3", "seq 2 4", "seq 1 2 7", "seq 3 1", "seq 3 -1 1", "seq -s , 3", "seq -w 8 11", "seq", "seq a", "seq 0.5 2", "seq 1 0 3",
  "which sh", "which", "exit", "exit 256", "exit 300", "exit a", "exit 1 2", "true a b", "false; true", "yes | head -2", "yes a b | head -1",
  // export and variables
  "export A=1; echo $A", "export A; echo [$A]", "A=1; A=2; echo $A", "A=1 B=$A; echo [$B]", "A=\"a b\" sh -c 'echo $A'", "echo $A$B", "echo \"$A\"", "echo \\$A",
  "A=a; echo $A.txt", "A=a; cat $A.txt", "A=$(cat a.txt); echo $A", "A=1; (A=2); echo $A", "echo $HOME", "HOME=/x; echo ~",
  // quotes
  "echo 'a'\\''b'", "echo \"a'b\"", "echo 'a\"b'", "echo \"a\\\"b\"", "echo a\\ b", "echo \"a\nb\"", "echo \"$(echo a b)\"", "echo '$(echo a)'", "echo \"\\$(echo a)\"", "echo \\\\", "echo \"\\\\\"", "echo 'é日😂'", "echo \"é$(echo 日)😂\"",
  // globs and braces
  "echo *.none", "echo sub/*.md", "echo '*'", "echo \"*.txt\"", "echo \\*.txt", "echo {a,b}.txt", "cat {a,b}.txt", "echo {a,b}{,c}", "echo a{b", "echo {a}", "echo {1,2}{3,4}", "echo {'a b',c}", "echo {$HOME,x}", "echo x{}y",
  // pipelines and lists
  "cat lines | head -1", "cat lines | tail -1 | cat", "cat lines | wc -l | tr -d ' '", "seq 3 | cat | cat | cat", "false | true", "true | false", "false | false || echo no", "echo a && false || echo b", "false && echo a; echo b", "true; false", "echo a; echo b; echo c", "echo a;", "echo a | (cat; echo b)", "(echo a; echo b) | cat", "(false) || echo no", "(exit 3); echo x",
  // conditions
  "[[ -f a.txt ]]", "[[ -f sub ]]", "[[ -d sub ]]", "[[ -c /dev/null ]]", "[[ -n a ]]", "[[ -n '' ]]", "[[ -z '' ]]", "[[ -z a ]]", "[[ a == b ]]", "[[ a != b ]]", "A=x; [[ $A == x ]]", "if [[ -f a.txt ]]; then echo f; fi", "if [[ -d a.txt ]]; then echo d; else echo n; fi", "if false; then echo a; fi", 
  "if true; then if false; then echo a; else echo b; fi; fi", "if true; then echo a; fi; echo b", "if true; then false; fi", "if true; then echo a > o; fi; cat o",
  // redirections
  "echo a > o; cat o", "echo a > o; echo b > o; cat o", "echo a >> o; echo b >> o; cat o", "echo a 1>&2", "echo a > 'x y'; cat 'x y'", "ls missing > o; cat o", "sh -c 'echo e >&2' 2> o; cat o", "echo a > o1 && cat o1 >> o2 && cat o2", "./run.sh a", "./run.sh 'a b' c", "run.sh", "./a.txt",
  // comments and line ends
  "echo a # b", "# only", "echo a#b", "echo '#a'", "\n\necho a\n\n", "echo a\necho b", "echo a \\\n b", "",
];
for (const script of scripts) await show(JSON.stringify(script), () => $`${{ raw: script }}`);

// Values.
const values = [
  "plain", "with space", "", "a'b", 'a"b', "$HOME", "$(echo no)", "`echo no`", "a;b", "a&&b", "a|b", "a>b", "*", "*.txt", "~", "{a,b}", "a\\b", "a\nb", "#a", "-n", "--", "é日😂", "\t", "a=b", "!", "[a]", "(a)", "<a",
  0, 1.5, -1, true, false, null, undefined, 10n, ["a", "b c"], [], ["*", "$A"], [1, [2, 3]], new String("s"), { toString: () => "object" }, new URL("http://x/?a=1&b=2"), new Date(0),
];
for (const value of values) {
  const name = typeof value === "bigint" ? "10n" : JSON.stringify(value);
  await show(`value ${name}`, () => $`echo ${value}`);
  await show(`quoted ${name}`, () => $`echo "${value}"`);
  await show(`joined ${name}`, () => $`echo a${value}z`);
}
for (const value of ["plain", "with space", "a'b", 'a"b', "$A`b`", "a\\b", "é", "", "a\nb", "*?[", "~", "#", "{a,b}"]) console.log("escape", JSON.stringify(value), JSON.stringify($.escape(value)));
for (const raw of ["echo a; echo b", "$HOME", "'a b'", "a b"]) await show(`raw ${raw}`, () => $`echo ${{ raw }}`);
await show("a command by value", () => $`${"echo"} ${"a"}`);
await show("a command with its words", () => $`${["echo", "a", "b"]}`);
await show("a command that is a value with a space", () => $`${"echo a"}`);
await show("a file by value", (dir) => $`cat ${join(dir, "a.txt")}`);
await show("out to a file by value", (dir) => $`echo a > ${join(dir, "o")}; cat o`);
await show("an assignment by value", () => $`A=${"x  y"}; echo "$A"`);
rmSync(root, { recursive: true });
