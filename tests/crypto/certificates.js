// Certificates as X509Certificate#toLegacyObject() and tls's getPeerCertificate() show them. Expected from Node 20.20.2.
const crypto = require("node:crypto");
const tls = require("node:tls");
const { readFileSync } = require("node:fs");

const read = (name) => readFileSync(`${__dirname}/support/certificate_${name}`);
const shown = (object) => {
  for (const key in object) if (Buffer.isBuffer(object[key])) object[key] = `${object[key].length} bytes`;
  return object;
};

function peer(name) {
  return new Promise((resolve) => {
    // The RSA key is a short one.
    const ciphers = "ALL:@SECLEVEL=0";
    const server = tls.createServer({ key: read(`${name}.key`), cert: read(`${name}.pem`), ciphers }, (socket) => socket.on("error", () => {}));
    server.listen(0, "127.0.0.1", () => {
      const socket = tls.connect({ port: server.address().port, host: "127.0.0.1", rejectUnauthorized: false, ciphers }, () => {
        resolve(socket.getPeerCertificate());
        socket.destroy();
        server.close();
      });
    });
  });
}

(async () => {
  for (const name of ["rsa", "p521", "ed25519"]) console.log(name, shown(new crypto.X509Certificate(read(`${name}.pem`)).toLegacyObject()));
  for (const name of ["rsa", "p521"]) console.log(name, shown(await peer(name)));
})();
