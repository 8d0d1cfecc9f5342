// crypto.Certificate: input that is empty or no SPKAC. Expected from Node 20.20.2.
const { Certificate } = require("node:crypto");

for (const input of ["", " ", "\n\n", Buffer.alloc(0), new ArrayBuffer(0), "x", "MIIBXjCByDCBnzANBgkqhkiG9w0BAQEFAAOBjQAwgYkCgYEA"]) {
  console.log([Certificate.verifySpkac(input), Certificate.exportPublicKey(input), Certificate.exportChallenge(input)]);
}
