// Bun.udpSocket. Recorded with Bun 1.4.5, without its "drain" events where nothing had to wait.
const turns = (n = 3) => new Promise((resolve) => setTimeout(resolve, n * 5));
const got = [];
const until = async (count) => { for (let i = 0; i < 1000 && got.length < count; i++) await turns(1); };
const server = await Bun.udpSocket({ socket: {
  data(socket, bytes, port, address, flags) {
    got.push(["server", bytes.constructor.name, `${bytes}`, port > 0, address, flags.truncated, flags.ipv6, this === socket].join());
    socket.send(`re:${bytes}`, port, address);
  },
} });
console.log(server.hostname, server.port > 0, server.address.address, server.address.family, server.binaryType, server.closed, server.remoteAddress);
const client = await Bun.udpSocket({ hostname: "127.0.0.1", port: 0, binaryType: "uint8array", connect: { hostname: "127.0.0.1", port: server.port }, socket: {
  data(socket, bytes, port, address) { got.push(["client", bytes.constructor.name, Buffer.from(bytes), port === server.port, address].join()); },
} });
console.log(client.hostname, client.remoteAddress.address, client.remoteAddress.port === server.port, client.binaryType);
console.log(client.send("hello"));
await until(2);
console.log(client.sendMany(["a", new Uint8Array([66]), Buffer.from("c"), ""]));
await until(10);
console.log(got.sort().join("\n"));

const other = await Bun.udpSocket({ hostname: "127.0.0.1", binaryType: "arraybuffer", socket: { data(socket, bytes) { got.push(`${bytes.constructor.name} ${bytes.byteLength}`); } } });
got.length = 0;
console.log(other.send("x", server.port, "127.0.0.1"), other.sendMany(["1", server.port, "127.0.0.1", "22", server.port, "127.0.0.1"]));
await until(6);
console.log(got.sort().join("\n"));

// Many at once, and a socket of IPv6.
{
  let count = 0;
  const { promise, resolve } = Promise.withResolvers();
  const sink = await Bun.udpSocket({ hostname: "::1", socket: { data(socket, bytes, port, address, flags) { count += bytes.length; if (count === 1000 && flags.ipv6 && address === "::1") resolve(); } } });
  const source = await Bun.udpSocket({ hostname: "::1", connect: { hostname: "::1", port: sink.port } });
  console.log(source.sendMany(Array.from({ length: 100 }, () => "0123456789")), sink.address.family);
  await promise;
  console.log(count);
  sink.close();
  source.close();
}

const attempt = (name, work) => {
  try {
    console.log(name, work());
  } catch (error) {
    console.log(name, error.name, error.message, error.code, error.syscall, error.errno);
  }
};
attempt("no arguments", () => other.send());
attempt("no port", () => other.send("x"));
attempt("port", () => other.send("x", 70000, "127.0.0.1"));
attempt("port 0", () => other.send("x", 0, "127.0.0.1"));
attempt("address", () => other.send("x", 1234, "nope"));
attempt("name", () => other.send("x", 1234, "localhost"));
attempt("data", () => other.send({}, 1, "127.0.0.1"));
attempt("connected", () => client.send("x", 1, "127.0.0.1"));
attempt("large", () => other.send(Buffer.alloc(70000), server.port, "127.0.0.1"));
attempt("many incomplete", () => other.sendMany(["1", server.port]));
attempt("many without", () => other.sendMany());
attempt("many object", () => other.sendMany({}));
attempt("many none", () => other.sendMany([]));
attempt("many wrong", () => client.sendMany([{}]));
attempt("broadcast", () => other.setBroadcast(true));
attempt("ttl", () => other.setTTL(64));
attempt("ttl 0", () => other.setTTL(0));
attempt("ttl 300", () => other.setTTL(300));
attempt("multicast ttl", () => other.setMulticastTTL(3));
attempt("multicast ttl 300", () => other.setMulticastTTL(300));
attempt("loopback", () => other.setMulticastLoopback(false));
attempt("interface", () => other.setMulticastInterface("127.0.0.1"));
attempt("interface wrong", () => other.setMulticastInterface("x"));
attempt("join", () => other.addMembership("224.0.0.251", "127.0.0.1"));
attempt("leave", () => other.dropMembership("224.0.0.251", "127.0.0.1"));
attempt("leave again", () => other.dropMembership("224.0.0.251", "127.0.0.1"));
attempt("no group", () => other.addMembership("1.2.3.4"));
attempt("join source", () => other.addSourceSpecificMembership("127.0.0.1", "232.1.1.1", "127.0.0.1"));
attempt("leave source", () => other.dropSourceSpecificMembership("127.0.0.1", "232.1.1.1", "127.0.0.1"));
attempt("reload", () => other.reload({ socket: { data() {} } }));
attempt("reload nothing", () => other.reload());
attempt("reload wrong", () => other.reload({ socket: { data: 1 } }));
attempt("close", () => other.close());
attempt("closed", () => other.closed);
attempt("close again", () => other.close());
attempt("send closed", () => other.send("x", 1, "127.0.0.1"));
attempt("many closed", () => other.sendMany(["x", 1, "127.0.0.1"]));
attempt("address closed", () => other.address);
attempt("broadcast closed", () => other.setBroadcast(true));

for (const options of [undefined, {}, { port: 70000 }, { port: "x" }, { socket: 1 }, { socket: { data: 1 } }, { connect: {} }, { connect: { hostname: "127.0.0.1" } },
  { connect: { hostname: "127.0.0.1", port: 99999 } }, { hostname: 5 }, { hostname: "nope.invalid" }, { socket: {} }]) {
  try {
    const socket = await Bun.udpSocket(options);
    console.log("opened", socket.hostname, socket.binaryType);
    socket.close();
  } catch (error) {
    console.log(error.name, error.message, error.code, error.syscall, error.errno, error.address);
  }
}
try {
  await Bun.udpSocket({ hostname: "127.0.0.1", port: client.port });
} catch (error) {
  console.log(error.message, error.code, error.errno);
}

// What a handler throws, and what the network has to say.
const { promise, resolve } = Promise.withResolvers();
const throwing = await Bun.udpSocket({ socket: { data() { throw new Error("in data"); }, error(error) { console.log("error", error.message); resolve(); } } });
const sender = await Bun.udpSocket({});
sender.send("x", throwing.port, "127.0.0.1");
await promise;
throwing.close();
sender[Symbol.dispose]();
console.log(sender.closed);
server.close();
client.close();
