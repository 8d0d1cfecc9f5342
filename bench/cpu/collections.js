// Map and Set with numbers, strings and objects as keys; WeakMap; iteration; grouping.
let sum = 0;
for (let round = 0; round < 6; round++) {
  const numbers = new Map();
  for (let i = 0; i < 200000; i++) numbers.set((i * 7919) % 100003, i);
  for (let i = 0; i < 200000; i++) sum += numbers.get(i) ?? 1;
  const strings = new Map();
  for (let i = 0; i < 100000; i++) {
    const key = "key" + (i % 5000);
    strings.set(key, (strings.get(key) ?? 0) + i);
  }
  for (const [key, value] of strings) sum += key.length + (value % 10);
  const objects = Array.from({ length: 30000 }, (_, i) => ({ i }));
  const seen = new Set();
  const weak = new WeakMap();
  for (const o of objects) {
    seen.add(o);
    weak.set(o, o.i);
  }
  for (const o of objects) if (seen.has(o)) sum += weak.get(o);
  for (let i = 0; i < objects.length; i += 2) seen.delete(objects[i]);
  seen.forEach((o) => (sum += o.i));
  const odd = new Set(Array.from({ length: 50000 }, (_, i) => 2 * i + 1));
  const three = new Set(Array.from({ length: 50000 }, (_, i) => 3 * i));
  sum += new Set([...odd].filter((n) => three.has(n))).size + new Set([...odd, ...three]).size;
  const groups = new Map();
  for (const o of objects) {
    const list = groups.get(o.i % 13);
    if (list) list.push(o);
    else groups.set(o.i % 13, [o]);
  }
  for (const list of groups.values()) sum += list.length;
  const plain = {};
  for (let i = 0; i < 100000; i++) plain["p" + (i % 3000)] = i;
  for (const key in plain) sum += plain[key] & 1;
}
console.log(sum);
