// expected: recorded from bun 1.4.5
// What hot matches leave for RegExp.$1 and the like: of inputs that are new and old in turn, and over collections.
const gc = globalThis.Bun?.gc ?? (() => {});
const old = Array.from({ length: 50 }, (_, i) => `word${i * 37}`);
gc(true);
const match = (text) => /^([a-z]+)(\d+)$/.test(text);
let wrong = 0;
for (let round = 0; round < 40000; round++) {
  const text = round % 3 === 0 ? old[round % 50] : `new${round}`;
  if (!match(text)) wrong++;
  if (round % 4 === 0) Array.from({ length: 50 }, (_, i) => ({ i }));
  if (round % 9001 === 0) gc(true);
  const digits = text.replace(/\D/g, "");
  match(text);
  if (RegExp.$1 + RegExp.$2 !== text || RegExp.$2 !== digits || RegExp.input !== text || RegExp.lastMatch !== text) wrong++;
}
console.log("wrong", wrong);
match(`left${"over".length}`);
gc(true);
match("!");
console.log(RegExp.$1, RegExp.$2, RegExp.leftContext === "", RegExp["$_"]);
