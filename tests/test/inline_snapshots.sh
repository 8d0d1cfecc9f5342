# Inline snapshots: what number they count as, where the text goes and how it is indented, what cannot be written. Recorded with BAO=bun.
. support/lib.sh
file a.test.ts <<'TS'
expect("outside").toMatchInlineSnapshot();
test("numbers", () => {
  expect("one").toMatchSnapshot();
  expect("1").toMatchInlineSnapshot();
  expect("two").toMatchSnapshot();
  expect(() => { throw new Error("e") }).toThrowErrorMatchingInlineSnapshot();
  expect("three").toMatchSnapshot();
});
test("places", () => {
  expect({ a: 1 }).toMatchInlineSnapshot({ a: expect.any(Number) } );
  expect({ a: 1 }).toMatchInlineSnapshot({ a: expect.any(Number)
});
    expect([1]).toMatchInlineSnapshot();
});
TS
t a | grep -v 'expect() calls'
cat a.test.ts __snapshots__/a.test.ts.snap
file b.test.ts <<'TS'
test("indentation stays", () => {
    expect([1]).toMatchInlineSnapshot(`
           [
             2,
           ]
  `);
	expect("a\nb").toMatchInlineSnapshot(`
"b
a"
`);
});
TS
t -u b
cat b.test.ts
# What cannot be written leaves the file as it was.
echo 'export function help(value) { expect(value).toMatchInlineSnapshot(); }' >help.ts
row() {
  printf '%s\n' "import { help } from './help'; const value = 'x'; test('x', () => { $1 });" >c.test.ts
  cp c.test.ts before
  "$BAO" test $2 c.test.ts 2>&1 | grep -aE 'error:|Inline snapshot matchers must' | sed -E 's/:( *\/.*)?$//'
  cmp before c.test.ts
}
row 'expect({}).toMatchInlineSnapshot(value);' -u
row 'expect({}).toMatchInlineSnapshot({}, value);' -u
row 'expect({}).toMatchInlineSnapshot({}, {});' -u
row 'expect({}).toMatchInlineSnapshot(...["1"]);' -u
row 'expect({}).toMatchInlineSnapshot({}, "1", "2");' -u
row 'expect(1)["toMatchInlineSnapshot"]();' ""
row 'for (const n of [1, 2]) expect(n).toMatchInlineSnapshot();' ""
row 'help(1);' ""
# A carriage return ends a line, too: the call is in a line that the file has no line feed for.
{ printf 'import { expect, test } from "bun:test";\ntest("returns", () => {\n  expect(`a\n\rb`)'; printf '\n  .toMatchInlineSnapshot()})'; } > returns.test.ts
t returns | grep -v 'expect() calls'
cat returns.test.ts
echo
