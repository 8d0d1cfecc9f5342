// base64 and base64url, short values (tokens) and one large one.
let sum = 0;
const large = Buffer.alloc(3 << 20, "abcdefghijklmnopq\u00ff");
for (let i = 0; i < 60; i++) {
  const text = large.toString("base64");
  sum += text.length + Buffer.from(text, "base64").length;
}
for (let i = 0; i < 300000; i++) {
  const token = Buffer.from(`user:${i}:secret`).toString("base64url");
  sum += token.length + Buffer.from(token, "base64url").length;
}
for (let i = 0; i < 100000; i++) sum += atob(btoa("value " + i)).length;
console.log(sum);
