// Bun.sliceAnsi: characters whose parts have sequences between them, sequences that end right after the slice, unknown styles, broken ones.
// expected: recorded from bun 1.4.5, but the text after a broken sequence is there
const cases = [
  ["\x1b[31mred\x1b[0mnormal", 0, 3],
  ["\x1b[31;42mX\x1b[39m\x1b[49m", 0, 1],
  ["\x1b[1;31mX", 0, 1],
  ["\x1b[31me\x1b[39m\u0301B", 0, 1],
  ["e\x1b[31m\u0301\x1b[39mB", 0, 1],
  ["e\x1b]8;;https://example.com\x07\u0301\x1b]8;;\x07B", 0, 1],
  ["\x1b[31m👨\x1b[39m\u200d👩\u200d👧B", 0, 2],
  ["\x1b[31m👨\x1b[39m\u200d👩\u200d👧B", 2, 3],
  ["\x1b[20mTEST\x1b[49m", 0, 4],
  ["\x1b[1001mTEST", 0, 2],
  ["\x9b31mred\x9b39m", 1, 2],
  ["\x1b[31", 0, 1],
  ["\x1b[31\u0100A", 0, 1],
  ["\x9b\u0100A", 1, 2],
  ["\x9cA", 0, 1],
  ["\x1b[?25mA\x1b[2KB", 0, 2],
  ["\x1b]8;;u\x1b\\Google\x1b]8;;\x07", 0, 6],
  ["\x1b]8;id=a;u\x07Google\x1b]8;id=a;\x07", 0, 6],
  ["\x1b]8;id=a;u\x07Google\x1b]8;id=a;\x07", 0, 4],
  ["abcd\x1b[31mefgh\x1b[39m", 0, 5, "…"],
  ["αβγδε", 0, 2, false],
  ["αβγδε", 0, 2, true],
  ["αβγδε", 0, 4, "…", false],
  ["αβγδε", 0, 4, "…", { ambiguousIsNarrow: true }],
];
for (const values of cases) console.log(JSON.stringify(Bun.sliceAnsi(...values)));
