// A Redis server of a test's own that answers what the test says, in RESP3.
import net from "node:net";

export const HELLO = "%2\r\n$6\r\nserver\r\n$4\r\nfake\r\n$5\r\nproto\r\n:3\r\n";

/** A server that answers each command with what `answer(words, socket)` gives; a string is written as it is. */
export async function serve(answer, { hello = HELLO, bytewise = false } = {}) {
  const sockets = new Set();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    let rest = "";
    socket.on("data", (chunk) => {
      rest += chunk.toString("latin1");
      for (;;) {
        const count = /^\*(\d+)\r\n/.exec(rest);
        if (count === null) return;
        let at = count[0].length;
        const words = [];
        for (let i = 0; i < Number(count[1]); i++) {
          const size = /^\$(\d+)\r\n/.exec(rest.slice(at, at + 20));
          if (size === null) return;
          at += size[0].length;
          if (rest.length < at + Number(size[1]) + 2) return;
          words.push(Buffer.from(rest.slice(at, at + Number(size[1])), "latin1").toString());
          at += Number(size[1]) + 2;
        }
        rest = rest.slice(at);
        const reply = words[0] === "HELLO" ? (typeof hello === "function" ? hello(words, socket) : hello) : answer(words, socket);
        if (reply === undefined) continue;
        if (!bytewise) socket.write(reply);
        else for (const byte of Buffer.from(reply)) socket.write(Buffer.from([byte]));
      }
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    drop: () => sockets.forEach((socket) => socket.destroy()),
    close() {
      this.drop();
      server.close();
    },
  };
}

export { outcome } from "./server.mjs";
