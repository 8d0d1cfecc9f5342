// JSON.parse and JSON.stringify of data as an API would send it.
const people = [];
for (let i = 0; i < 4000; i++) {
  people.push({
    id: i,
    guid: (i * 2654435761 % 4294967296).toString(16).padStart(8, "0"),
    active: i % 3 === 0,
    balance: Math.round(i * 1234.567) / 100,
    name: { first: "Name" + (i % 97), last: 'Surname "' + (i % 89) + '"' },
    tags: ["alpha", "beta\n", "gämma", "δ" + i],
    friends: [{ id: i + 1, name: "x".repeat(i % 20) }, { id: i + 2, name: null }],
    note: i % 5 ? undefined : "Line one\nLine two\t\u0001",
  });
}
let length = 0;
let sum = 0;
for (let round = 0; round < 30; round++) {
  const text = JSON.stringify(people);
  length += text.length;
  const back = JSON.parse(text);
  sum += back[round].id + back.length;
}
const pretty = JSON.stringify(people, null, 2);
const revived = JSON.parse(pretty, (key, value) => (key === "balance" ? Math.trunc(value) : value));
console.log(length, sum, pretty.length, revived[3999].balance);
