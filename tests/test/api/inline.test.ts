import { expect, test } from "bun:test";

type X = { a: number };
test("inline", () => {
  expect(1).toMatchInlineSnapshot();
  expect({ a: 1, b: "x\ny" }).toMatchInlineSnapshot();
  expect("multi\nline `tick` ${x} \\ back").toMatchInlineSnapshot();
    expect([1, 2]).toMatchInlineSnapshot(
    );
  expect({ a: 1, t: "q" }).toMatchInlineSnapshot({ a: expect.any(Number) });
  expect({ a: 1, t: "q" }).toMatchInlineSnapshot({ a: expect.any(Number) }, );
  expect(() => { throw new Error("boo"); }).toThrowErrorMatchingInlineSnapshot();
	expect({ tab: 1 }).toMatchInlineSnapshot();
  if (true) { expect({ same: 1 }).toMatchInlineSnapshot(); expect(2).toMatchInlineSnapshot(); }
  expect("").toMatchInlineSnapshot(/* comment ) */);
  for (let i = 0; i < 2; i++) expect(7).toMatchInlineSnapshot();
  const e = expect({ z: [] }); e.toMatchInlineSnapshot();
  expect("q'\"uote").toMatchInlineSnapshot();
  expect({ a: 1 } as X).not.toBe(
    2,
  );
});
