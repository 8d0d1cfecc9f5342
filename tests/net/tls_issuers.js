// expected: recorded from node 25.9
// A server without a chain of its own completes it from the certificates that it trusts; addCACert of a context adds to them.
const tls = require("node:tls");
const { root, middle, leaf, key } = require("./support/chain.js");
const names = (certificate) => {
  const list = [];
  for (let at = certificate; at !== undefined && !list.includes(at.subject.CN); at = at.issuerCertificate) list.push(at.subject.CN);
  return list;
};
async function connect(name, server, client) {
  const listener = tls.createServer({ key, ...server }, (socket) => socket.end());
  await new Promise((done) => listener.listen(0, "127.0.0.1", done));
  await new Promise((done) => {
    const socket = tls.connect({ port: listener.address().port, host: "127.0.0.1", servername: "leaf.bao", ...client }, () => {
      console.log(name, socket.authorized, socket.authorizationError, names(socket.getPeerCertificate(true)));
      socket.end();
    });
    socket.on("error", (error) => console.log(name, error.code));
    socket.on("close", done);
    socket.resume();
  });
  await new Promise((done) => listener.close(done));
}
(async () => {
  const chain = `${leaf}\n${middle}`;
  await connect("leaf alone", { cert: leaf }, { ca: root });
  await connect("issuer among the trusted", { cert: leaf, ca: middle }, { ca: root });
  await connect("both issuers", { cert: leaf, ca: [root, middle] }, { ca: root });
  await connect("own chain", { cert: chain, ca: root }, { ca: root });
  await connect("nobody trusted", { cert: chain }, {});
  const [with_, without] = [tls.createSecureContext({}), tls.createSecureContext({})];
  with_.context.addCACert(root);
  await connect("added", { cert: chain }, { secureContext: with_ });
  await connect("not added", { cert: chain }, { secureContext: without });
  const own = tls.createSecureContext({ ca: middle });
  own.context.addCACert(root);
  await connect("added to own", { cert: leaf, ca: middle }, { secureContext: own });
})();
