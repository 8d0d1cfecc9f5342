// expected: recorded from node 25.9.0. A client that refuses who the server is over TLS 1.3 has not sent the end of its handshake: the server
// gets neither its certificate nor a connection.
import { once } from "node:events";
import { createRequire } from "node:module";
import tls from "node:tls";

const { cert, key } = createRequire(import.meta.url)("./support/certificate.js");

async function met(name, options) {
  const seen = [];
  const server = tls.createServer({ cert, key, requestCert: true, rejectUnauthorized: false, minVersion: "TLSv1.3" }, (socket) => {
    seen.push(`connection, certificate ${socket.getPeerCertificate().subject?.CN}`);
    socket.on("error", () => {});
    socket.end();
  });
  server.on("tlsClientError", (error) => seen.push(error.code));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const gone = new Promise((resolve) => server.on("connection", (raw) => raw.on("close", resolve)));
  const client = tls.connect({ host: "127.0.0.1", port: server.address().port, ca: cert, cert, key, servername: "test.bao", ...options });
  client.on("secureConnect", () => console.log(name, "client: secure,", client.authorized));
  client.on("error", (error) => console.log(name, "client:", error.code));
  client.resume();
  await Promise.all([once(client, "close").catch(() => {}), gone]);
  server.close();
  await once(server, "close");
  console.log(name, "server:", ...seen);
}

await met("right name:", {});
await met("wrong name:", { servername: "other.bao" });
await met("unknown issuer:", { ca: undefined });
await met("own check:", { checkServerIdentity: () => Object.assign(new Error("no"), { code: "MINE" }) });
await met("agreed to all the same:", { servername: "other.bao", rejectUnauthorized: false });
