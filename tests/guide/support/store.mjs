// A server of a few Redis commands, for the blocks of docs/guide/redis.md. Prints its port.
import net from "node:net";

const store = new Map();
const bulk = (text) => (text === undefined ? "_\r\n" : `$${Buffer.byteLength(text)}\r\n${text}\r\n`);
const commands = {
  HELLO: () => "%1\r\n+proto\r\n:3\r\n",
  SET: (key, value) => (store.set(key, value), "+OK\r\n"),
  GET: (key) => bulk(store.get(key)),
  INCR: (key) => (store.set(key, String(Number(store.get(key) ?? 0) + 1)), `:${store.get(key)}\r\n`),
  HSET: (key, ...pairs) => (store.set(key, pairs), `:${pairs.length / 2}\r\n`),
  HGETALL: (key) => `%${store.get(key).length / 2}\r\n${store.get(key).map(bulk).join("")}`,
};
const server = net.createServer((socket) => {
  let queue;
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    // What the guide sends comes in whole commands.
    for (const command of chunk.toString().split(/(?=\*\d+\r\n)/)) {
      const [name, ...args] = command.split("\r\n").slice(1).filter((_, i) => i % 2 === 1);
      if (name === "MULTI") (queue = []), socket.write("+OK\r\n");
      else if (name === "EXEC") socket.write(`*${queue.length}\r\n${queue.join("")}`), (queue = undefined);
      else if (queue !== undefined) queue.push(commands[name](...args)), socket.write("+QUEUED\r\n");
      else socket.write(commands[name](...args));
    }
  });
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
