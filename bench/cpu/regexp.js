// Regular expressions over a log: matching, named groups, global replace, sticky tokens, look-behind.
let seed = 7;
const next = (n) => ((seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff) >> 8) % n;
const lines = [];
for (let i = 0; i < 20000; i++) {
  lines.push(
    `${next(256)}.${next(256)}.${next(256)}.${next(256)} - user${next(500)} [${1 + next(28)}/Nov/2025:${next(24)}:${next(60)}:${next(60)} +0000] ` +
      `"${["GET", "POST", "PUT"][next(3)]} /path/${next(1000)}/item-${next(99)}.html?q=${next(10)} HTTP/1.1" ${[200, 301, 404, 500][next(4)]} ${next(100000)}`,
  );
}
const log = lines.join("\n");
const entry = /^(?<ip>\d+(?:\.\d+){3}) - (?<user>\w+) \[(?<time>[^\]]+)\] "(?<method>[A-Z]+) (?<path>[^ ?]+)(?:\?(?<query>[^ ]*))? HTTP\/\d\.\d" (?<status>\d{3}) (?<size>\d+)$/gm;
let size = 0;
const byStatus = {};
for (let round = 0; round < 4; round++) {
  for (const match of log.matchAll(entry)) {
    size += Number(match.groups.size);
    byStatus[match.groups.status] = (byStatus[match.groups.status] ?? 0) + 1;
  }
}
let replaced = 0;
for (let round = 0; round < 6; round++) {
  replaced += log.replace(/\b(\d{1,3})\.(\d{1,3})\./g, "$2-$1-").length;
  replaced += log.replace(/item-(\d+)/g, (_, n) => "thing" + (Number(n) + 1)).length;
}
let tested = 0;
const slow = /(?:a|user|path)+?\/(?:\d|x)*\/item-(?:1|3|5)\d?\.html/;
for (let round = 0; round < 10; round++) for (const line of lines) if (slow.test(line)) tested++;
let tokens = 0;
const token = /\s*(?:(\d+)|([A-Za-z_]\w*)|(["[\]/.:?=+-]))/y;
for (let round = 0; round < 1; round++) {
  token.lastIndex = 0;
  while (token.exec(log)) tokens++;
}
const behind = log.match(/(?<=HTTP\/1\.1" )5\d\d/g).length;
const cased = log.match(/\bGET\b|user1\d\b/gi).length;
const split = log.split(/[\s/"]+/).length;
console.log(size, JSON.stringify(byStatus), replaced, tested, tokens, behind, cased, split);
