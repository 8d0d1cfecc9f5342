// node:tls and node:https with a certificate of this test: who is accepted, who is refused, that nothing is sent to a
// server that is refused, SNI, ALPN. The output is Node's.
const tls = require("node:tls");
const https = require("node:https");

const { cert, key } = require("./support/certificate.js");

function client(port, options) {
  return new Promise((resolve) => {
    const socket = tls.connect({ port, host: "127.0.0.1", ...options }, () => {
      console.log("secure", socket.authorized, socket.authorizationError, socket.alpnProtocol, socket.getProtocol(), socket.getCipher().version);
      const peer = socket.getPeerCertificate();
      console.log(peer.subject.CN, peer.subject.O, peer.subjectaltname, peer.bits, peer.nistCurve, peer.valid_to.endsWith("GMT"));
    });
    socket.write("hello");
    let got = "";
    socket.on("data", (chunk) => { got += chunk; });
    socket.on("error", (error) => console.log(error.code));
    socket.on("close", () => {
      console.log("closed", got);
      resolve();
    });
  });
}

const received = [];
const server = tls.createServer({ key, cert, ALPNProtocols: ["b", "a"] }, (socket) => {
  socket.on("data", (chunk) => {
    received.push(String(chunk));
    socket.end(`${chunk} ${socket.servername} ${socket.alpnProtocol}`);
  });
  socket.on("error", () => {});
});
server.on("tlsClientError", () => {});
server.listen(0, "127.0.0.1", async () => {
  const { port } = server.address();
  await client(port, { ca: cert, servername: "test.bao" });
  await client(port, { ca: cert, servername: "a.wild.bao", ALPNProtocols: ["a"] });
  await client(port, { ca: cert, ALPNProtocols: ["a", "b"] });
  await client(port, { rejectUnauthorized: false, servername: "test.bao", maxVersion: "TLSv1.2" });
  const before = received.length;
  await client(port, { servername: "test.bao" });
  await client(port, { ca: cert, servername: "other.bao" });
  console.log("leaked", received.length - before);
  server.close();

  const web = https.createServer({ key, cert }, (req, res) => {
    let body = "";
    req.on("data", (chunk) => { body += chunk; });
    req.on("end", () => res.end(`${req.method} ${body.length} ${req.socket.encrypted}`));
  });
  web.listen(0, "127.0.0.1", () => {
    const agent = new https.Agent({ keepAlive: true, ca: cert });
    const post = (size, next) => {
      const req = https.request({ port: web.address().port, host: "127.0.0.1", method: "POST", agent }, (res) => {
        let text = "";
        res.on("data", (chunk) => { text += chunk; });
        res.on("end", () => {
          console.log(res.statusCode, text, req.reusedSocket);
          setImmediate(next);
        });
      });
      req.end("x".repeat(size));
    };
    post(10, () => post(300_000, () => {
      agent.destroy();
      web.close(() => console.log("done"));
    }));
  });
});

for (const call of [() => tls.createSecureContext({ cert: "x", key }), () => tls.createSecureContext({ minVersion: "x" })]) {
  try {
    call();
  } catch (error) {
    console.log(error.name, error.code);
  }
}
console.log(tls.checkServerIdentity("a.example.com", { subject: { CN: "x" }, subjectaltname: "DNS:*.example.com" }));
console.log(tls.checkServerIdentity("b.com", { subject: { CN: "a.com" } }).code);
