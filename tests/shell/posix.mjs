// expected: recorded from bash 5.2
// What POSIX has beyond Bun's grammar. Scripts in which variables are quoted mean the same in both; the others set the option posix.
import { $ } from "bun";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const scripts = [
  // Loops and case.
  "for i in a 'b c' d; do echo \"<$i>\"; done",
  "for i in $(seq 3); do echo $i; done",
  'set -- x \'y z\'; for i; do echo "<$i>"; done; for i in "$@"; do echo "[$i]"; done',
  "i=0; while [ $i -lt 3 ]; do i=$((i + 1)); echo $i; done",
  "i=3; until [ $i = 0 ]; do echo $i; i=$((i - 1)); done",
  "for i in 1 2 3 4; do [ $i = 2 ] && continue; [ $i = 4 ] && break; echo $i; done",
  "for i in 1 2; do for j in a b c; do [ $j = b ] && continue 2; echo $i$j; done; done",
  "for i in 1 2; do for j in a b c; do [ $j = b ] && break 2; echo $i$j; done; done",
  'while read -r line; do echo "got $line"; done <<END\na b\n  c \\d\nEND',
  "for f in a.txt b.txt; do cat $f; done | tr a-z A-Z",
  "for i in 1 2; do echo $i; done > out; cat out",
  "for x in foo.c bar.h baz; do case $x in *.c) echo C;; *.h|*.hpp) echo H;; *) echo other;; esac; done",
  "case '*' in '*') echo star;; esac; case a in '*') echo no;; [!b-z]) echo yes;; esac",
  "case x in (x) echo paren;; esac; case a in b) ;; esac; echo $?",
  "p='a*'; case abc in $p) echo pattern;; esac; case abc in \"$p\") echo no;; *) echo quoted;; esac",
  // Functions.
  "f() { echo \"$# $1 $2\"; return 3; }; f a 'b c'; echo $?",
  "f() { local x=1; y=2; echo $x; }; x=0; f; echo $x $y",
  "f() { [ $1 -le 1 ] && echo 1 && return; r=$(f $(($1 - 1))); echo $(($1 * r)); }; f 6",
  "f() { echo in; } > out; f; cat out",
  "f() (x=1; exit 4); x=0; f; echo $? $x",
  "f() { set -- new; echo $1; }; set -- old; f; echo $1",
  "f() { cat; }; echo piped | f",
  // Groups, negation, exit codes.
  "{ echo a; echo b; } | sort -r",
  "{ echo o; echo e >&2; } > out 2>&1; cat out",
  "! false && echo yes; ! true; echo $?",
  "false; echo $?; (exit 5); echo $?; true; echo $?",
  "x=$(exit 3); echo $?; x=$(true); echo $?",
  "echo before; exit 4; echo after",
  "(exit 2) || echo $?",
  "if ! grep -q nothing a.txt; then echo none; fi",
  // Parameters.
  'unset x; echo ${x-a} ${x:-b} "${x-}" ${x+c} ; x=; echo ${x-a} ${x:-b} ${x+c} ${x:+d}; x=1; echo ${x-a} ${x:+d}',
  "unset x; echo ${x:=def}; echo $x; echo ${#x}",
  "x=/usr/lib/libc.so.6; echo ${x##*/} ${x%/*} ${x#*/} ${x%%.*} ${x%.*}",
  'x=aXbXc; echo ${x%X*} ${x%%X*} ${x#*X} ${x##*X} "${x#"a"}"',
  'x=\'a b\'; y="${x:-no}"; echo "$y" "${z:-"q  r"}" ${z:-$(echo sub)}',
  "echo ${HOME:+set} ${#HOME}",
  "x=abc; echo ${x}def $x-def \"${x}\"'${x}'",
  'set -- a b c; echo $# $1 ${2} "$*" "$@"; shift; echo $1 $#; shift 2; echo $#',
  "set -- a b c d e f g h i j k; echo ${10} ${11} $10",
  'IFS=,; set -- a b c; echo "$*"',
  "(x=${y?is needed}; echo not reached); echo ended",
  'echo "$0" | grep -c .',
  // Arithmetic.
  "echo $((1 + 2 * 3)) $(((1 + 2) * 3)) $((7 / 2)) $((7 % 3)) $((-7 / 2)) $((1 << 4)) $((255 & 15 | 64))",
  "x=5; echo $((x + 1)) $(($x * 2)) $((x++)) $x $((++x)) $((x += 10)) $x",
  "echo $((1 < 2)) $((2 == 3)) $((1 && 0)) $((1 || 0)) $((!5)) $((~5)) $((1 ? 2 : 3)) $((0x1f)) $((010))",
  "echo $((9223372036854775807 + 1)) $((2 > 1 ? 10 : 1 / 0))",
  "echo $(( $(echo 3) + ${x:-4} ))",
  // Here-documents.
  "x=1; cat <<EOF\na $x $((1+1)) $(echo sub) \\$x `echo tick`\nEOF",
  "x=1; cat <<'EOF'\na $x \\n\nEOF",
  "cat <<-EOF\n\ta\n\t\tb\n\tEOF",
  "cat <<A; cat <<B\none\nA\ntwo\nB",
  "cat <<EOF | tr a-z A-Z\nhello\nEOF",
  "f() { cat <<EOF\nin $1\nEOF\n}; f x",
  'cat <<EOF\na\\\nb "q" \\"\nEOF',
  'while read a b; do echo "$b $a"; done <<EOF\n1 2\n3 4 5\nEOF',
  // test.
  "[ -f a.txt ] && [ ! -d a.txt ] && [ -s a.txt ] && [ -r a.txt ] && echo ok",
  "[ a = a ] && [ a != b ] && [ -n x ] && [ -z '' ] && [ 1 -lt 2 ] && [ 2 -ge 2 ] && echo ok",
  "[ 1 -eq 1 -a 2 -eq 2 ] && [ 1 -eq 2 -o 2 -eq 2 ] && [ ! 1 -eq 2 ] && echo ok",
  "[ ]; echo $?; [ '' ]; echo $?; [ x ]; echo $?; test; echo $?",
  "[[ abc == a* && ! abc == b* && ( 1 -lt 2 || x == y ) ]] && echo ok",
  "[[ abc =~ ^a.c$ ]] && [[ 10 -gt 9 ]] && [[ a < b ]] && [[ -n $HOME ]] && echo ok",
  // Redirections.
  "echo out > f1 2>&1; cat f1; ls /nonexistent > f2 2>&1; [ -s f2 ] && echo filled",
  "exec 3> f3; echo three >&3; exec 3>&-; cat f3",
  'exec 4< a.txt; read -r l <&4; echo "$l"; exec 4<&-',
  "echo a > f4; echo b >> f4; cat < f4 | wc -l | tr -d ' '",
  "{ echo one; echo two >&2; } 2> f5 | cat; cat f5",
  "> f6; [ -f f6 ] && [ ! -s f6 ] && echo empty",
  "echo x >&2 2>/dev/null; (echo sub) > f7; cat f7",
  "cat < a.txt - < b.txt",
  "echo 'a b' | { read x y; echo $y $x; }",
  // set.
  "set -e; true; false; echo no",
  "set -e; if false; then :; fi; false || true; ! true; echo reached",
  "set -e; f() { false; echo in; }; f || echo caught; f; echo no",
  "(set -u; echo ${x:-ok}; echo $undefined_variable; echo no); echo ended",
  "set -o pipefail; false | true; echo $?; true | false | true; echo $?",
  "set -euo pipefail; echo a; false | cat; echo no",
  "set -f; echo *.txt; set +f; echo *.txt",
  "set -- -a b; echo $1; set -e; echo $-| grep -c e",
  // trap, eval, source, command.
  "trap 'echo bye' EXIT; echo hi",
  "trap 'echo bye $?' EXIT; exit 3",
  "(trap 'echo sub' EXIT; echo in); echo out",
  "trap 'echo a' EXIT; trap - EXIT; echo b",
  "eval 'x=1; echo $x'; eval echo a '\"b  c\"'",
  "echo 'y=sourced; echo $1' > s.inc; . ./s.inc arg; echo $y",
  "command echo hi; command -v echo; command -v nonexistent; echo $?",
  "type cd | head -1; f() { :; }; type f | head -1",
  "readonly r=1; (r=2) 2>/dev/null; echo $? $r",
  "x=1; unset x; echo ${x-unset}; f() { :; }; unset -f f; f 2>/dev/null || echo gone",
  "export E=1; sh -c 'echo $E'; export -n E; sh -c 'echo [$E]'",
  "while getopts ab:c o; do echo $o $OPTARG; done",
  "set -- -a -b val -c rest; while getopts ab:c o; do echo $o $OPTARG; done; shift $((OPTIND - 1)); echo $1",
  "printf '%s|%5d|%-4s|%x|%%|%c\\n' a 42 b 255 xyz; printf '%s\\n' a b c; printf '%05.1f %e\\n' 3.14159 1234.5",
  "printf 'a\\tb\\101\\n'; printf '%b' 'x\\ny\\n'; printf '%d %d\\n' 0x10 010",
  // Background.
  "sleep 0.05 & wait; echo done",
  "(exit 3) & wait $!; echo $?",
  "{ sleep 0.05; echo late; } & echo early; wait",
  "for i in 1 2 3; do (exit $i) & done; wait; echo all",
  "echo a & wait; echo b & wait; echo c",
  // The option posix: values are split and are patterns.
  "set -o posix; x='a b  c'; for i in $x; do echo \"<$i>\"; done; echo $x",
  "set -o posix; x='*.txt'; echo $x; echo \"$x\"; echo nothing-*",
  'set -o posix; IFS=:; x=a:b::c; for i in $x; do echo "<$i>"; done',
  'set -o posix; x=; for i in $x y; do echo "<$i>"; done; nonexistent-command 2>/dev/null; echo $?',
  "set -o posix; basename /a/b.txt .txt",
  // Quotes and lines.
  "echo a\\\nb; echo \"a\\\nb\"; echo 'a\\\nb'",
  'echo "$(echo "inner $(echo "deep")")" `echo \\`echo nested\\``',
  "if [ 1 = 1 ]; then if false; then :; else echo nested; fi; fi",
  "echo a; # comment\n# another\necho b",
  "true && { false || echo x; } && (echo y)",
  "echo one \\\n  two",
];

const other = process.env.OTHER_SHELL;
for (const script of scripts) {
  const dir = mkdtempSync(join(tmpdir(), "shell-posix-"));
  writeFileSync(join(dir, "a.txt"), "alpha\n");
  writeFileSync(join(dir, "b.txt"), "beta\n");
  let result;
  if (other) {
    const { stdout, exitCode } = Bun.spawnSync([other, "-c", script, "sh"], { cwd: dir, stderr: "ignore" });
    result = [exitCode, stdout.toString()];
  } else {
    const { stdout, exitCode } = await $`${{ raw: script }}`.cwd(dir).quiet().nothrow();
    result = [exitCode, stdout.toString()];
  }
  console.log("%s %s", JSON.stringify(script), JSON.stringify(result));
  rmSync(dir, { recursive: true });
}
