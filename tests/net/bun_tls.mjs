// Bun.listen and Bun.connect over TLS: handshakes as the handlers see them, told for each side. As Bun 1.4.5 has it, but for the text of
// protocol errors, and for servers whose client turns away, which see the end of a handshake here.
import support from "../net/support/certificate.js";
const { key, cert } = support;
const sides = new Map();
const log = (side, ...what) => {
  if (!sides.has(side)) sides.set(side, []);
  sides.get(side).push(what.map((value) => typeof value === "string" ? value : JSON.stringify(value) ?? "undefined").join(" "));
};
const soon = (check) => new Promise((resolve) => {
  const until = Date.now() + 3000;
  (function look() {
    if (check() || Date.now() > until) resolve();
    else setTimeout(look, 5);
  })();
});
const handlers = (side, more = {}) => ({
  open(socket) { log(side, "open", socket.readyState, socket.authorized, socket.alpnProtocol, Object.prototype.toString.call(socket)); more.open?.(socket); },
  handshake(socket, success, error) {
    log(side, "handshake", success, error?.code, socket.authorized, socket.getAuthorizationError()?.code, socket.alpnProtocol, socket.getServername());
    more.handshake?.(socket);
  },
  data(socket, bytes) { log(side, "data", `${bytes}`); more.data?.(socket, bytes); },
  error(socket, error) { log(side, "error", error.code); },
  ...more.rest,
});

async function pair(title, tls, ctls, server = {}, client = {}) {
  let closed = 0;
  const counted = (side, given) => ({ ...handlers(side, given), close(socket, error) { closed++; log(side, "close", error?.code); } });
  const plain = ({ handshake, ...rest }) => rest;
  const strip = (given, all) => given.plain ? plain(all) : all;
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, tls, socket: strip(server, counted("server", server)) });
  await Bun.connect({ hostname: "127.0.0.1", port: listener.port, tls: ctls, socket: strip(client, counted("client", client)) });
  await soon(() => closed === 2);
  listener.stop(true);
  console.log(`# ${title}`);
  for (const [side, lines] of [...sides].sort()) for (const line of lines) console.log(`${side}: ${line}`);
  sides.clear();
}

const own = { key, cert };
const trusting = { ca: cert, serverName: "test.bao" };
const over = { handshake(socket) { socket.end(); } };
await pair("good", own, trusting, { data(socket) { socket.write("reply"); } },
  { open(socket) { log("client", "early", socket.write("early")); }, handshake(socket) { log("client", socket.write("hello"), socket.bytesWritten); }, data(socket) { socket.end(); } });
await pair("without handshake handlers", own, trusting, { plain: true, open(socket) { socket.write("hi"); } }, { plain: true, data(socket) { log("client", socket.end("bye")); } });
await pair("an address", own, { ca: cert }, {}, over);
await pair("not trusted, but taken", own, { rejectUnauthorized: false, serverName: "test.bao" }, {}, { handshake(socket) { log("client", socket.write("x")); socket.end(); } });
await pair("protocols", { ...own, ALPNProtocols: Buffer.from("\x01a\x01b") }, { ...trusting, ALPNProtocols: Buffer.from("\x01b\x01c") }, {}, over);
await pair("client certificate", { ...own, ca: cert, requestCert: true }, { ...trusting, key, cert }, { handshake(socket) { log("server", socket.getPeerCertificate().subject.CN); socket.end(); } });
await pair("no client certificate, but let in", { ...own, ca: cert, requestCert: true, rejectUnauthorized: false }, trusting, { handshake(socket) { socket.end("in"); } });
await pair("a client that does not speak TLS", own, undefined, {}, { rest: { data() {} }, open(socket) { socket.write("GET / HTTP/1.0\r\n\r\n"); } });
await pair("a server that does not", undefined, trusting, { rest: { data(socket) { log("server", "data"); socket.end("plain text answer"); } } });
await pair("end with an answer", own, trusting, { data(socket) { log("server", socket.end("bye")); } }, { handshake(socket) { socket.write("x"); } });

for (const serverName of [undefined, "other.name"]) {
  // Turned away by the client.
  const { promise, resolve } = Promise.withResolvers();
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, tls: own, socket: { data() {} } });
  await Bun.connect({ hostname: "127.0.0.1", port: listener.port, tls: serverName === undefined ? true : { ca: cert, serverName }, socket: {
    data() {}, handshake(socket, success, error) { console.log("turned away", success, error.code, error.message, socket.write("x")); }, close(socket, error) { resolve(error); },
  } });
  console.log(await promise);
  listener.stop(true);
}
{
  // Without a certificate, where one is asked for.
  const { promise, resolve } = Promise.withResolvers();
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, tls: { ...own, ca: cert, requestCert: true }, socket: {
    data() {}, handshake(socket, success, error) { console.log("no certificate", success, error.code, socket.authorized); }, close: resolve } });
  await Bun.connect({ hostname: "127.0.0.1", port: listener.port, tls: trusting, socket: { data() {} } });
  await promise;
  listener.stop(true);
}
{
  let got = 0;
  let sent = 0;
  let drains = 0;
  const { promise, resolve } = Promise.withResolvers();
  const big = new Uint8Array(8 << 20).fill(120);
  const more = (socket) => {
    while (sent < big.length) {
      const count = socket.write(big.subarray(sent));
      if (count <= 0) return;
      sent += count;
    }
  };
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, tls: own, socket: {
    open(socket) { socket.pause(); setTimeout(() => socket.resume(), 30); },
    data(socket, bytes) { got += bytes.length; if (got === big.length) socket.end("got it"); },
  } });
  await Bun.connect({ hostname: "127.0.0.1", port: listener.port, tls: trusting, socket: {
    open(socket) { more(socket); console.log("partial", sent > 0 && sent < big.length, socket.bytesWritten === sent, socket.write("more")); },
    drain(socket) { drains++; more(socket); },
    data(socket, bytes) { console.log(`${bytes}`); },
    close: resolve,
  } });
  await promise;
  console.log("back pressure", got === big.length, drains > 0);
  listener.stop();
}
{
  // From plain text to TLS.
  const { promise, resolve } = Promise.withResolvers();
  let first = true;
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, data: "plain", socket: {
    data(socket, bytes) {
      if (!first) return;
      first = false;
      console.log(`server: ${bytes}`);
      socket.write("go");
      const [raw, secure] = socket.upgradeTLS({ data: "secure", tls: own, isServer: true, socket: {
        data(socket, bytes) { console.log(`server: ${bytes}`, socket.data); socket.end(`echo ${bytes}`); },
      } });
      console.log("server:", socket.readyState, raw.readyState, secure.readyState, raw !== socket, raw.data);
    },
  } });
  await Bun.connect({ hostname: "127.0.0.1", port: listener.port, socket: {
    open(socket) { socket.write("starttls"); },
    data(socket) {
      if (socket.readyState !== 1 || socket.data) return;
      socket.data = "upgraded";
      const [raw, secure] = socket.upgradeTLS({ tls: trusting, socket: {
        handshake(socket, success) { console.log("client:", success, socket.getCipher().version, socket.getTLSVersion()); socket.write("secret"); },
        data(socket, bytes) { console.log(`client: ${bytes}`); },
        close() { console.log("client: closed"); resolve(); },
      } });
      console.log("client:", socket.write("x"), secure.readyState, raw.readyState);
    },
  } });
  await promise;
  listener.stop(true);
}
