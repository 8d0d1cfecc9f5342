// expected: recorded from node 25.9.0
// Imported keys are the bytes that were there, whatever the program has set as their length, and stay what they were.
const { subtle } = crypto;
const hex = async (key) => Buffer.from(await subtle.exportKey("raw", key)).toString("hex");
const take = (bytes) => subtle.importKey("raw", bytes, "AES-CBC", true, ["encrypt"]);
for (const value of [4, 32]) {
  const bytes = Object.defineProperty(new Uint8Array(16).fill(3), "length", { value });
  console.log(await hex(await take(bytes)));
}
const bytes = new Uint8Array(16).fill(5);
const promise = take(bytes);
bytes.fill(6);
const key = await promise;
bytes.fill(7);
new Uint8Array(await subtle.exportKey("raw", key)).fill(8);
console.log(await hex(key));
