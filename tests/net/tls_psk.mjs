// expected: recorded from node 25.9.0. Pre-shared keys over TLS 1.2: identities, hints, keys that are not there or wrong, answers of the wrong type.
import { once } from "node:events";
import tls from "node:tls";

const keys = { alice: Buffer.from("8f".repeat(32), "hex"), bob: Buffer.from("01".repeat(16), "hex") };
const version = { maxVersion: "TLSv1.2" };

/** One connection: what both sides hear of it. */
async function meet(title, serverOptions, clientOptions) {
  const log = [];
  const server = tls.createServer(
    { ...version, ciphers: "PSK", pskCallback: (socket, identity) => (log.push(`server is asked for ${identity}`, socket instanceof tls.TLSSocket), keys[identity]), ...serverOptions },
    (socket) => {
      socket.on("error", () => {});
      socket.on("data", (data) => socket.end(`${data}!`));
    },
  );
  const refused = once(server, "tlsClientError").then(([error]) => error.code !== "ECONNRESET" && log.push(`server: ${error.code ?? error.message}`));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = tls.connect({ ...version, host: "127.0.0.1", port: server.address().port, ciphers: "PSK", checkServerIdentity() {}, ...clientOptions });
  await new Promise((resolve) => {
    client.on("secureConnect", () => {
      log.push(`${client.getProtocol()} ${client.getCipher().name} ${client.authorized} ${client.getPeerCertificate().subject?.CN}`);
      client.end("hello");
    });
    client.on("data", (data) => log.push(String(data)));
    client.on("error", (error) => log.push(`client: ${error.code === "ERR_INVALID_ARG_TYPE" ? error.message : (error.code ?? error.message)}`));
    client.on("close", resolve);
  });
  if (log.some((line) => /^client: /.test(line))) await Promise.race([refused, new Promise((resolve) => server.close(resolve))]);
  server.close();
  console.log(`== ${title}`);
  for (const line of log) console.log(line);
}

const as = (identity, psk = keys[identity]) => ({ pskCallback: () => ({ identity, psk }) });
await meet("a key", {}, as("alice"));
await meet("a short key, and the strongest suite", { ciphers: "PSK-AES256-CBC-SHA" }, as("bob"));
await meet("keys that are exchanged, too", { ciphers: "ECDHE-PSK-CHACHA20-POLY1305" }, as("bob"));
const hinted = { pskCallback: (hint) => (console.log("hint", hint), { identity: "alice", psk: keys.alice }) };
await meet("no hint", {}, hinted);
await meet("a hint", { pskIdentityHint: "who are you" }, hinted);
await meet("a hint beside exchanged keys", { pskIdentityHint: "you", ciphers: "ECDHE-PSK-AES128-CBC-SHA" }, hinted);
await meet("an object of the server's", { pskCallback: () => ({ psk: keys.bob }) }, as("whoever", keys.bob));
await meet("no key", { pskCallback: () => null }, as("alice"));
await meet("a client without", {}, { pskCallback: () => null });
await meet("a wrong answer of the server", { pskCallback: () => "no" }, as("alice"));
await meet("an error of the server", { pskCallback() { throw new Error("not today"); } }, as("alice"));
await meet("a wrong answer of the client", {}, { pskCallback: () => "no" });
await meet("no identity", {}, { pskCallback: () => ({ psk: keys.bob }) });
await meet("a long identity", {}, { pskCallback: () => ({ psk: keys.bob, identity: "é".repeat(150) }) });
await meet("a long key", {}, { pskCallback: () => ({ psk: Buffer.alloc(600), identity: "alice" }) });
await meet("another key", {}, as("alice", keys.bob));
await meet("a long hint", { pskIdentityHint: "a".repeat(512) }, as("alice"));
await meet("callbacks are the socket's", { pskCallback(socket) { return console.log(this === socket), keys.bob; } }, { pskCallback() { return console.log(this instanceof tls.TLSSocket), { identity: "bob", psk: keys.bob }; } });
for (const options of [{ pskCallback: 1 }, { pskCallback() {}, pskIdentityHint: 1 }]) {
  try {
    tls.createServer(options);
  } catch (error) {
    console.log(error.code, error.message);
  }
}
