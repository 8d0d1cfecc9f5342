// expected: written by hand
// Values of a template are data, whatever they contain; text and bytes go through programs and built-ins unchanged.
import { $ } from "bun";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const dir = mkdtempSync(join(tmpdir(), "shell-hostile-"));
$.nothrow().cwd(dir);
const args = join(dir, "args.sh");
writeFileSync(args, 'for a in "$@"; do printf "%s\\0" "$a"; done\n');
const given = async (promise) => (await promise.text()).split("\0").slice(0, -1);

const values = [
  ..."!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ \t\n\r\x01\x07\x08\x1b\x7f",
  "",
  "  ",
  "\n\n",
  "; touch owned",
  "$(touch owned)",
  "`touch owned`",
  "& touch owned",
  "| touch owned",
  "|| touch owned",
  "&& touch owned",
  "> owned",
  "\ntouch owned\n",
  "'; touch owned; '",
  '"; touch owned; "',
  '"$(touch owned)"',
  "\\",
  "\\\\",
  "\\'",
  "'",
  '"',
  "${HOME}",
  "$HOME",
  "$((1+1))",
  "{a,b}",
  "*",
  "**/*",
  "[a-z]*",
  "~",
  "~root",
  "~/x",
  "-n",
  "--",
  "A=b",
  "if",
  "done",
  "]]",
  "<<EOF",
  "#",
  "\u{fffc}",
  "\ufffc0\ufffc",
  "\x08__bunstr_0",
  "\x08__bun_0",
  "日本語 ☃ 𝒳",
  "é",
  "\u202e\u200b",
  "x".repeat(30_000),
];

// As an argument of a program and of a built-in, alone, between others, in both kinds of quotes.
let wrong = 0;
for (const value of values) {
  const same = (list, expected) => {
    if (JSON.stringify(list) === JSON.stringify(expected)) return;
    wrong++;
    console.log("changed:", JSON.stringify(value).slice(0, 60), JSON.stringify(list).slice(0, 100));
  };
  same(await given($`sh ${args} ${value}`), [value]);
  same(await given($`sh ${args} a${value}b ${value}${value}`), [`a${value}b`, value + value]);
  same(await given($`sh ${args} "${value}" 'x${value}y' "a ${value} b"`), [value, `x${value}y`, `a ${value} b`]);
  same(await given($`sh ${args} ${[value, "z", [value]]}`), [value, "z", value]);
  same(await $`printf %s ${value}`.text(), value);
  same(await $`x=${value}; printf '%s' "$x"`.text(), value);
  same(await given($`x=${value}; sh ${args} "$x" a$x`), [value, `a${value}`]);
  same(await $`printf %s "$(printf %s ${value}x)"`.text(), `${value}x`);
  same(await $`f() { printf %s "$1"; }; f ${value}`.text(), value);
  same(await $`for i in ${value}; do printf %s "$i"; done`.text(), value);
  same(await $`case ${value} in ${value}) printf same;; *) printf other;; esac`.text(), "same");
  same(await $`[[ ${value} == ${value} ]] && printf same`.text(), "same");
  same(
    await $`cat <<END
${value}|
END`.text(),
    `${value}|\n`,
  );
  same(
    await $`cat <<'END'
${value}|
END`.text(),
    `${value}|\n`,
  );
  same(await $`printf %s ${{ raw: $.escape(value) }}`.text(), value);
}
console.log("values:", values.length, "changed:", wrong, "owned:", readdirSync(dir).includes("owned"));

// As a name of a file and of a command.
for (const name of ["a b", "$x", "*", "`x`", "\n", "'", '"', ";", "-", "\ufffc"]) {
  await $`printf %s ${name} > ${name}`;
  const text = await $`cat < ${name}`.text();
  if (text !== name) console.log("file", JSON.stringify(name), JSON.stringify(text));
  await $`rm -- ${name}`;
}
console.log(readdirSync(dir));
for (const name of ["echo hi", "$(echo)", "exit 1;", "if", "A=b", "", "a\nb", "{", "!"]) {
  const { exitCode, stderr } = await $`${name}`.quiet();
  console.log(exitCode, JSON.stringify(stderr.toString()));
}

// Patterns in values match nothing but themselves.
writeFileSync(join(dir, "x1"), "");
writeFileSync(join(dir, "*1"), "");
console.log(
  (await $`echo ${"*"}*`.text()).trim(),
  (await $`echo ${"x"}*`.text()).trim(),
  (await $`echo ${"[x]"}*`.quiet()).stderr.toString().trim(),
);
console.log(await $`case abc in ${"*"}) echo pattern;; *) echo text;; esac`.text());

// NUL and lone surrogates cannot be handed to a program.
for (const value of ["a\0b", "\ud800", "x\udc80", ["\0"], { raw: "echo a\0b" }]) {
  try {
    await $`echo ${value}`.quiet();
    console.log("runs");
  } catch (error) {
    console.log(error.name, error.code, JSON.stringify(error.message));
  }
}

// Bytes that are not UTF-8.
const bytes = Buffer.from([0x61, 0xff, 0xfe, 0x80, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0xf0, 0x9f, 0x98, 0x80, 0x62]);
const hex = async (promise) => Buffer.from(await promise.bytes()).toString("hex");
console.log(bytes.toString("hex"));
console.log(await hex($`cat < ${bytes}`));
console.log(await hex($`printf %s "$(cat < ${bytes})"`));
console.log(await hex($`x=$(cat < ${bytes}); sh -c 'printf %s "$1"; printf %s "$x"' - "$x"`));
console.log(await hex($`export x=$(cat < ${bytes}); sh -c 'printf %s "$x"'`));
console.log(
  await hex(
    $`cat < ${bytes} | while read -r line; do printf %s "$line"; done; read -r line < ${bytes}; printf %s "$line"`,
  ),
);
await $`name=$(printf 'n\377'); echo content > $name; cat < $name; ls > names; cat n*; rm $name`;
console.log(JSON.stringify(readdirSync(dir)), Buffer.from(await Bun.file(join(dir, "names")).bytes()).includes(0xff));

// Deep and long scripts end in an error or a result, and not in a crash.
for (const script of [
  "(".repeat(100_000),
  "$(".repeat(50_000),
  "{a,".repeat(50_000),
  "echo $((" + "(".repeat(50_000) + "1))",
  "if ".repeat(20_000),
  "echo " + "${x:-".repeat(20_000),
  "[[ " + "( ".repeat(50_000),
  "! ".repeat(50_000) + "true",
  "true && ".repeat(5_000) + "true",
  "true; ".repeat(20_000),
  "f() { f; }; f",
  "f() { $(f); }; f",
]) {
  try {
    const { exitCode } = await $`${{ raw: script }}`.quiet();
    console.log(script.slice(0, 12), exitCode);
  } catch (error) {
    console.log(script.slice(0, 12), error.name, error.message.slice(0, 60));
  }
}
rmSync(dir, { recursive: true });
