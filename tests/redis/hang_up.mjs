// expected: written by hand
// A server that hangs up in the greeting has refused nobody: the client tries again as often as it may.
import net from "node:net";
import { RedisClient } from "bun";

const TRIES = 3;
for (const isHeard of [false, true]) {
  let connections = 0;
  const server = net.createServer((socket) => {
    connections++;
    socket.on("error", () => {});
    if (isHeard) socket.on("data", () => socket.end());
    else socket.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = new RedisClient(`redis://127.0.0.1:${server.address().port}`, { maxRetries: TRIES });
  const error = await client.connect().catch((error) => error);
  console.log(error.code, connections === TRIES + 1);
  server.close();
}
