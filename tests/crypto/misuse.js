// Wrong uses whose errors have codes: the tag of a CCM cipher whose end has failed, and an output encoding that is no string. The output is
// Node's.
const crypto = require("node:crypto");

const attempt = (name, action) => {
  try {
    console.log(name, action());
  } catch (error) {
    console.log(name, error.name, error.code);
  }
};
const cipher = crypto.createCipheriv("aes-128-ccm", Buffer.alloc(16), Buffer.alloc(12), { authTagLength: 16 });
attempt("final", () => cipher.final());
attempt("tag", () => cipher.getAuthTag());
for (const outputEncoding of [["hex"], 1, null, "hex", "HEX"]) {
  attempt(`hash ${JSON.stringify(outputEncoding)}`, () => crypto.hash("md5", "x", { outputEncoding }));
}
attempt("hash, array", () => crypto.hash("md5", "x", ["hex"]));
