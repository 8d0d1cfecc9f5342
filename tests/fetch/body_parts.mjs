// A body that is an array is the parts of a Blob, as in Bun.
const bodies = [
  ["a", "b"],
  [new Uint8Array([65]), "x", new Blob(["q"]), new Uint8Array([66]).buffer],
  [1, true, { toString: () => "o" }],
  [["a", ["b"]]],
  [],
];
for (const body of bodies) {
  const response = new Response(body);
  const request = new Request("http://127.0.0.1/", { method: "POST", body });
  console.log(response.headers.get("content-type"), await response.text(), await request.text());
}
