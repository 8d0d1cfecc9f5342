// Array.prototype.sort of strings without comparator is the order of their code units: compared with a comparator on random
// arrays of short and long strings, equal beginnings, NUL, characters beyond Latin-1, ropes and slices.
let seed = 262;
const random = (n) => {
  seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
  return (seed >>> 8) % n;
};
const byCodeUnits = (a, b) => {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = a.charCodeAt(i) - b.charCodeAt(i);
    if (difference) return difference;
  }
  return a.length - b.length;
};
const alphabets = ["\0a", "ab", "abc\xff", "ab\u0100z", "\ud800\udc00\uffffa"];

function someString(alphabet, longest) {
  let string = "";
  for (let n = random(longest); n > 0; n--) string += alphabet[random(alphabet.length)];
  if (random(3) === 0) string += string;
  return random(5) === 0 ? string.slice(random(3)) : string;
}

let wrong = 0;
let sorted = 0;
for (let round = 0; round < 600; round++) {
  const alphabet = alphabets[random(alphabets.length)];
  const strings = Array.from({ length: random(60) }, () => someString(alphabet, round % 3 ? 14 : 4));
  const expected = JSON.stringify([...strings].sort(byCodeUnits));
  if (JSON.stringify([...strings].sort()) !== expected || JSON.stringify(strings.toSorted()) !== expected) wrong++;
  const holes = [, ...strings, undefined].sort();
  if (
    JSON.stringify(holes.slice(0, -2)) !== expected ||
    strings.length in holes === false ||
    strings.length + 1 in holes
  )
    wrong++;
  sorted += strings.length;
}
console.log("wrong", wrong, "of", sorted > 10000);

const many = Array.from({ length: 100000 }, (_, i) => `key${(Math.imul(i, 2654435761) >>> 0).toString(36)}`);
many.sort();
console.log(many.every((string, i) => i === 0 || many[i - 1] <= string));
