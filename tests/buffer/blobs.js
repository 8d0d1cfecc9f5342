// Blob and File: parts, slices, line ends, types, reading, errors.
// Where Node 20 differs the expected output is that of the standards: a lone CR with native endings,
// lastModified as an integer.
const t = (fn) => {
  try {
    return fn();
  } catch (e) {
    return `${e.name} ${e.code} ${e.message}`;
  }
};
(async () => {
  const blob = new Blob(["héllo ", new Uint8Array([119, 111]), new Blob(["rld"]), new Uint16Array([0x2121]).buffer, 42], { type: "Text/Plain" });
  console.log(blob, blob.size, blob.type, await blob.text());
  console.log(await blob.slice(2, -3, "X/Y").text(), blob.slice(-4).size, blob.slice(5, 2).size, blob.slice(1).slice(1, 4).size, blob.slice(0, 1, "\u00e9").type === "", blob.slice(0, 3, "X/Y").type);
  console.log(new Uint8Array(await blob.arrayBuffer()).join(), (await blob.bytes()).length);
  console.log(JSON.stringify(await new Blob(["a\r\nb\rc\nd"], { endings: "native" }).text()), JSON.stringify(await new Blob(["a\r\n"]).text()), JSON.stringify(await new Blob(["\ud800"]).text()), JSON.stringify(await new Blob([new Uint8Array([0xef, 0xbb, 0xbf, 0x61])]).text()));
  const file = new File([blob, "!"], "na\ud800me.txt", { type: "a/b", lastModified: 12.7 });
  console.log(file, file instanceof Blob, file.name.length, file.lastModified, await file.slice(0, 2).text(), file.slice(0, 2).constructor.name);
  for (const args of [["x"], [1], [null], [{}], [[], 1], [[], { endings: "x" }]]) console.log(t(() => new Blob(...args)));
  console.log(t(() => new File([])), t(() => Blob.prototype.size));
  console.log(await Blob.prototype.text.call({}).catch((e) => e.code));
  const chunks = [];
  for await (const chunk of new Blob(["ab", "cd", new Uint8Array(70000)]).stream()) chunks.push(chunk.byteLength);
  console.log(chunks.reduce((a, b) => a + b), new Blob().size, await new Blob().text() === "", Object.prototype.toString.call(file), Object.keys(File.prototype).join());
})();
