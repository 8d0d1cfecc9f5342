// Sessions that are resumed, by tickets and by what a program keeps; lines for key logs, stapled status, versions, keys with a passphrase,
// what both ends agree on. The output is Node's.
const tls = require("node:tls");
const crypto = require("node:crypto");

const { cert, key } = require("./support/certificate.js");

const material = { cert, key };
const seen = (name, error) => console.log(name, error === undefined ? "no error" : error.code);

/** A server with these options, `use` with its port, and its end. */
async function served(options, use, prepare) {
  const server = tls.createServer({ ...material, ...options }, (socket) => {
    socket.on("error", () => {});
    socket.end("bye");
  });
  server.on("tlsClientError", (error) => seen("server", error));
  prepare?.(server);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  await use(server.address().port, server);
  await new Promise((resolve) => server.close(resolve));
}

/** A connection: its session. */
function met(port, options) {
  return new Promise((resolve) => {
    let session;
    const socket = tls.connect({ port, host: "127.0.0.1", ca: cert, servername: "test.bao", ...options }, () => {
      console.log("secure", socket.getProtocol(), socket.authorized, "resumed", socket.isSessionReused());
      options.secure?.(socket);
    });
    socket.on("session", (bytes) => { session ??= bytes; });
    socket.on("error", (error) => seen("client", error));
    socket.on("close", () => resolve(session));
    socket.resume();
  });
}

async function main() {
  for (const maxVersion of ["TLSv1.2", "TLSv1.3"]) {
    await served({ maxVersion }, async (port, server) => {
      const session = await met(port, {});
      console.log(Buffer.isBuffer(session));
      await met(port, { session });
      const keys = server.getTicketKeys();
      server.setTicketKeys(crypto.randomBytes(48));
      await met(port, { session });
      server.setTicketKeys(keys);
      await met(port, { session });
    });
  }

  const store = new Map();
  await served({ maxVersion: "TLSv1.2", secureOptions: crypto.constants.SSL_OP_NO_TICKET }, async (port) => {
    const session = await met(port, {});
    await met(port, { session });
    store.clear();
    await met(port, { session });
  }, (server) => {
    server.on("newSession", (id, session, done) => {
      console.log("new session", id.length);
      store.set(id.toString("hex"), session);
      setTimeout(done, 5);
    });
    server.on("resumeSession", (id, done) => {
      const found = store.get(id.toString("hex"));
      console.log("looked for", found !== undefined);
      setTimeout(done, 5, null, found ?? null);
    });
  });

  await served({}, async (port) => {
    const lines = [];
    await met(port, {
      requestOCSP: true,
      secure(socket) {
        console.log(socket.getFinished().length, socket.getPeerFinished().length > 0, socket.exportKeyingMaterial(16, "label").length);
        console.log(socket.getCertificate());
        socket.on("keylog", () => {});
        console.log(socket.setMaxSendFragment(1024), socket.setMaxSendFragment(1));
      },
    });
    console.log(lines.length);
  }, (server) => {
    const names = new Set();
    server.on("keylog", (line) => names.add(String(line).split(" ")[0]));
    server.on("OCSPRequest", (certificate, issuer, done) => {
      console.log(Buffer.isBuffer(certificate), Buffer.isBuffer(issuer) || issuer === null);
      done(null, Buffer.from("status"));
    });
    server.on("close", () => console.log([...names].sort().join()));
  });

  const ocsp = (port) => new Promise((resolve) => {
    const socket = tls.connect({ port, host: "127.0.0.1", ca: cert, servername: "test.bao", requestOCSP: true });
    socket.on("OCSPResponse", (response) => console.log(String(response)));
    socket.resume().on("close", resolve);
  });
  await served({}, ocsp, (server) => server.on("OCSPRequest", (_certificate, _issuer, done) => done(null, Buffer.from("status"))));
  await served({}, ocsp);

  await served({ minVersion: "TLSv1.2" }, (port) => met(port, { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" }));
  await served({ minVersion: "TLSv1", ciphers: "DEFAULT@SECLEVEL=0" }, (port) => met(port, { minVersion: "TLSv1", maxVersion: "TLSv1", ciphers: "DEFAULT@SECLEVEL=0" }));
  await served({ secureOptions: crypto.constants.SSL_OP_NO_TLSv1_3 }, (port) => met(port, {}));

  const encrypted = crypto.createPrivateKey(key).export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "secret" });
  await served({ key: encrypted, passphrase: "secret" }, (port) => met(port, {}));
  await served({ key: [{ pem: encrypted, passphrase: "secret" }] }, (port) => met(port, {}));
  for (const options of [
    { cert, key: encrypted, passphrase: "wrong" }, { cert: "none" }, { key: "none" }, { minVersion: "TLSv9" }, { ciphers: "nothing" },
    { ecdhCurve: "nothing" }, { ticketKeys: Buffer.alloc(3) }, { sigalgs: "" }, { crl: 3 }, { secureProtocol: "SSLv3_method" },
    { cert, key: crypto.generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" }) },
  ]) {
    try {
      tls.createSecureContext(options);
      console.log(Object.keys(options).join(), "taken");
    } catch (error) {
      console.log(Object.keys(options).join(), error.name, error.code);
    }
  }
  console.log(tls.rootCertificates.length > 100, tls.rootCertificates[0].startsWith("-----BEGIN CERTIFICATE-----\n"), Object.isFrozen(tls.rootCertificates));
  console.log(tls.getCiphers().includes("tls_aes_128_gcm_sha256"), tls.getCACertificates("bundled").length === tls.rootCertificates.length);
}

main();
