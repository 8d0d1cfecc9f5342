// expected: written by hand
// --redis-preconnect does not keep a process that does not use the connection: it ends before the client has tried as often as it may. A
// program that does use it waits for a server that comes later.
import net from "node:net";

const TRIES = 11;

/** A server that hangs up, or one that knows two commands. */
function listen(port, isReal, each) {
  const server = net.createServer((socket) => {
    each();
    socket.on("error", () => {});
    if (!isReal) return socket.end();
    socket.on("data", (bytes) => {
      const text = `${bytes}`;
      if (text.includes("HELLO")) socket.write("%1\r\n+proto\r\n:3\r\n");
      if (text.includes("PING")) socket.write("+PONG\r\n");
    });
  });
  return new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve(server)));
}

const start = (port, program) =>
  Bun.spawn([process.execPath, "--redis-preconnect", "-e", program], {
    env: { ...process.env, REDIS_URL: `redis://127.0.0.1:${port}` },
    stderr: "inherit",
  });

let connections = 0;
const refusing = await listen(0, false, () => connections++);
const { port } = refusing.address();
{
  const child = start(port, 'setTimeout(() => console.log("unused"), 100)');
  const text = (await child.stdout.text()).trim();
  const code = await child.exited;
  console.log(text, code, connections > 0 && connections < TRIES);
}
{
  const child = start(port, 'console.log("asked"); console.log(await Bun.redis.ping()); Bun.redis.close()');
  const reader = child.stdout.getReader();
  const first = await reader.read();
  refusing.close();
  const server = await listen(port, true, () => {});
  let text = new TextDecoder().decode(first.value);
  for (let part; !(part = await reader.read()).done; ) text += new TextDecoder().decode(part.value);
  console.log(text.trim(), await child.exited);
  server.close();
}
