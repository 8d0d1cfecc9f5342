// node:dns against a name server of this test: types of records, errors, TCP after truncation, cancel. The output is
// Node's.
const dns = require("node:dns");
const dgram = require("node:dgram");
const net = require("node:net");

const name = (text) => Buffer.concat([...text.split(".").map((l) => Buffer.concat([Buffer.from([l.length]), Buffer.from(l)])), Buffer.from([0])]);
const u16 = (n) => Buffer.from([n >> 8, n & 255]);
const u32 = (n) => Buffer.concat([u16(n >>> 16), u16(n & 65535)]);
const record = (type, data) => Buffer.concat([Buffer.from([0xc0, 12]), u16(type), u16(1), u32(60), u16(data.length), data]);
const answers = {
  1: [Buffer.from([10, 0, 0, 1]), Buffer.from([10, 0, 0, 2])],
  28: [Buffer.from("20010db8000000000000000000000001", "hex")],
  15: [Buffer.concat([u16(10), name("mail.test")])],
  16: [Buffer.concat([Buffer.from([3]), Buffer.from("abc"), Buffer.from([2]), Buffer.from("de")])],
  33: [Buffer.concat([u16(1), u16(2), u16(443), name("srv.test")])],
  6: [Buffer.concat([name("ns.test"), name("host.test"), u32(1), u32(2), u32(3), u32(4), u32(5)])],
};

function reply(query, truncate) {
  const end = query.indexOf(0, 12) + 5;
  const type = query.readUInt16BE(end - 4);
  const asked = query.subarray(13, 13 + query[12]).toString();
  const missing = asked === "missing";
  const records = missing || asked === "empty" ? [] : (answers[type] ?? []).map((data) => record(type, data));
  const head = Buffer.concat([query.subarray(0, 2), u16(0x8180 | (missing ? 3 : 0) | (truncate ? 0x200 : 0)), u16(1), u16(truncate ? 0 : records.length), u32(0)]);
  return Buffer.concat([head, query.subarray(12, end), ...(truncate ? [] : records)]);
}

// A name server answers on one port for both protocols; a number that is free for the one may be taken for the other, so
// that the test looks for one that both take.
const tcp = net.createServer((socket) => socket.on("data", (bytes) => {
  const answer = reply(bytes.subarray(2), false);
  socket.end(Buffer.concat([u16(answer.length), answer]));
}));
const udp = dgram.createSocket("udp4");
udp.on("message", (query, from) => {
  const label = query.subarray(13, 13 + query[12]).toString();
  if (label !== "silent") udp.send(reply(query, label === "long"), from.port, from.address);
});
let attempts = 0;
udp.on("error", (error) => {
  if (error.code !== "EADDRINUSE" || ++attempts > 20) throw error;
  tcp.close(() => tcp.listen(0, "127.0.0.1"));
});
tcp.on("listening", () => udp.bind(tcp.address().port, "127.0.0.1"));
tcp.listen(0, "127.0.0.1");
udp.on("listening", async () => {
  const { port } = udp.address();
  const resolver = new dns.promises.Resolver();
  resolver.setServers([`127.0.0.1:${port}`]);
  console.log(resolver.getServers().length);
  console.log(await resolver.resolve4("a.test"));
  console.log(await resolver.resolve4("a.test", { ttl: true }));
  console.log(await resolver.resolve6("a.test"));
  console.log(await resolver.resolveMx("a.test"));
  console.log(await resolver.resolveTxt("a.test"));
  console.log(await resolver.resolveSrv("a.test"));
  console.log(await resolver.resolve("a.test", "SOA"));
  console.log(await resolver.resolve4("long.test"));
  for (const host of ["missing.test", "empty.test"]) {
    await resolver.resolve4(host).catch((error) => console.log(error.code, error.syscall, error.hostname, error.message));
  }
  const waiting = resolver.resolve4("silent.test").catch((error) => console.log(error.code, error.message));
  resolver.cancel();
  await waiting;
  console.log(await dns.promises.lookup("127.0.0.1"), await dns.promises.lookup("::1", { all: true }));
  await dns.promises.lookup("does-not-exist.invalid").catch((error) => console.log(error.syscall, error.hostname));
  for (const call of [() => dns.lookup("x", { family: 5 }, () => {}), () => dns.lookup("x"), () => resolver.setServers(["x"])]) {
    try {
      call();
    } catch (error) {
      console.log(error.name, error.code);
    }
  }
  udp.close();
  tcp.close();
});
