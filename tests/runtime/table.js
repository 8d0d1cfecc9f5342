// Class, code and message of the errors that 400 functions give for wrong arguments, beside those of Node 25.8.1
// (support/table.json, recorded with `node support/table.cjs support/table.json`).
const ask = require("./support/table.cjs");
const recorded = require("./support/table.json");

ask().then((ours) => {
  let same = 0;
  const rows = [];
  for (const [name, groups] of Object.entries(recorded)) {
    const theirs = {};
    for (const [answer, ...values] of groups) for (const value of values) theirs[value] = answer;
    const mine = ours[name] ?? {};
    for (const value of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
      // An answer of the engine has a class only; where Node leaves a mistake to the engine, bao may name it.
      const classOnly = theirs[value] !== undefined && !theirs[value].includes(" | ");
      if (theirs[value] === (classOnly ? mine[value]?.split(" | ")[0] : mine[value])) same++;
      else rows.push(`${name}(${value})\n  node ${theirs[value]}\n  bao  ${mine[value]}`);
    }
  }
  console.log(`${Object.keys(recorded).length} functions`);
  if (rows.length > 0) console.log(rows.join("\n"));
  if (process.argv[2] === "--count") console.log(same, rows.length);
  process.exit(rows.length === 0 ? 0 : 1);
});
