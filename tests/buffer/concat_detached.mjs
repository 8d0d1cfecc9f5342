// expected: recorded from node 25.9.0
// Parts of Buffer.concat that are detached: it throws where one is reached, and does not look at those behind the end.
const detached = new Uint8Array(4);
structuredClone(detached.buffer, { transfer: [detached.buffer] });
const abc = Buffer.from("abc");
const lists = { "abc, detached": [abc, detached], "detached, abc": [detached, abc], empty: [new Uint8Array(0)], "abc, detached, abc": [abc, detached, abc], "abc, no bytes": [abc, "x"] };
for (const [name, list] of Object.entries(lists)) {
  for (const length of [undefined, 0, 2, 3, 4, 10]) {
    let result;
    try {
      result = Buffer.concat(list, length).toString("hex");
    } catch (error) {
      result = error.code ?? error.name;
    }
    console.log(`${name} (${length}): ${result}`);
  }
}
