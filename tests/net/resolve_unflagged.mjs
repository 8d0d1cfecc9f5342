// expected: recorded from node 25.9.0
// An answer of a name server without the flag of answers (dns-packet makes such ones) is read, as c-ares does.
import dgram from "node:dgram";
import dns from "node:dns";

const server = dgram.createSocket("udp4");
server.on("message", (query, from) => {
  const head = Buffer.from([query[0], query[1], 0, 0, 0, 1, 0, 1, 0, 0, 0, 0]);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 123, 0, 4, 127, 0, 0, 1]);
  server.send(Buffer.concat([head, query.subarray(12, query.indexOf(0, 12) + 5), record]), from.port, from.address);
});
server.bind(0, "127.0.0.1", async () => {
  const resolver = new dns.promises.Resolver({ timeout: 5000, tries: 1 });
  resolver.setServers([`127.0.0.1:${server.address().port}`]);
  for (const type of ["ANY", "A"]) console.log(await resolver.resolve("example.org", type).catch((error) => error.code));
  server.close();
});
