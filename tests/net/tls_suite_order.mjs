// expected: recorded from node 25.9. Who decides between the suites of TLS 1.3: the server with `honorCipherOrder` (the default), else the client.
import { readFileSync } from "node:fs";
import tls from "node:tls";

const read = (name) => readFileSync(new URL(`../http/support/${name}`, import.meta.url));
const identity = { key: read("key.pem"), cert: read("cert.pem") };
const short = "TLS_AES_128_GCM_SHA256";
const long = "TLS_AES_256_GCM_SHA384";
const chacha = "TLS_CHACHA20_POLY1305_SHA256";

function suite(server, client) {
  return new Promise((resolve, reject) => {
    const listener = tls.createServer({ ...identity, ...server, minVersion: "TLSv1.3" }, (socket) => socket.end());
    listener.listen(0, "127.0.0.1", () => {
      const socket = tls.connect({ ...client, port: listener.address().port, host: "127.0.0.1", rejectUnauthorized: false });
      let name;
      socket.on("secureConnect", () => (name = socket.getCipher().name));
      socket.on("error", reject);
      socket.on("close", () => listener.close(() => resolve(name)));
      socket.resume();
    });
  });
}

console.log(await suite({ ciphers: `${short}:${long}` }, { ciphers: `${long}:${short}` }));
console.log(await suite({ ciphers: `${long}:${short}` }, { ciphers: `${short}:${long}` }));
console.log(await suite({ ciphers: `${short}:${long}`, honorCipherOrder: false }, { ciphers: `${long}:${short}` }));
console.log(await suite({ ciphers: `${chacha}:${short}` }, {}));
console.log(await suite({}, { ciphers: `${short}:${long}` }));
console.log(await suite({ ciphers: `${long}:${short}` }, { ciphers: short }));
