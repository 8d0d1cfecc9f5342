// expected: written by hand
// S3 with servers that are slow, that stop within a body or an answer, and that take an upload drop by drop.
import { S3Client } from "bun";
import net from "node:net";

const say = (...what) => console.log(...what);
const outcome = (promise) => Promise.resolve(promise).then((value) => value, (error) => `${error.name} ${error.code}`);
const pause = (time) => new Promise((done) => setTimeout(done, time));

/** A server of HTTP/1.1 that reads a request's head and gives the socket to `answer`, with the bytes of the body that came along. */
async function serve(answer) {
  const server = net.createServer((socket) => {
    let head = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("data", function read(chunk) {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf("\r\n\r\n");
      if (end < 0) return;
      socket.off("data", read);
      const [line, ...headers] = head.subarray(0, end).toString().split("\r\n");
      const length = Number(headers.find((header) => /^content-length:/i.test(header))?.split(":")[1] ?? 0);
      answer({ socket, line, length, rest: head.subarray(end + 4) });
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const options = { accessKeyId: "id", secretAccessKey: "secret", bucket: "b", endpoint: `http://127.0.0.1:${server.address().port}`, retry: 1 };
  return { client: new S3Client(options), close: () => server.close() };
}
const head = (length) => `HTTP/1.1 200 OK\r\nConnection: close\r\nETag: "e"\r\nContent-Length: ${length}\r\n\r\n`;

// A body that comes in many small pieces is whole, as text, as a stream and by ranges.
{
  const { client, close } = await serve(async ({ socket }) => {
    socket.write(head(200));
    for (let i = 0; i < 100; i++) {
      socket.write("ab");
      if (i % 10 === 0) await pause(2);
    }
    socket.end();
  });
  say((await client.file("k").text()) === "ab".repeat(100));
  let size = 0;
  for await (const chunk of client.file("k").stream()) size += chunk.length;
  say(size);
  close();
}

// A body that ends early, or is cut, is an error and never a part.
for (const cut of ["end", "destroy", "resetAndDestroy"]) {
  const { client, close } = await serve(async ({ socket }) => {
    socket.write(head(200) + "ab".repeat(50));
    await pause(20);
    socket[cut]();
  });
  say(cut, await outcome(client.file("k").text()).then((text) => (text.length === 100 ? "a part" : "an error")));
  const read = async () => {
    for await (const chunk of client.file("k").stream()) void chunk;
    return "an end";
  };
  say(cut, await outcome(read()).then((text) => (text === "an end" ? text : "an error")));
  // Lists, deletes and errors that break off are errors of S3's, too.
  say(cut, await client.list().then(() => "a list", (error) => error.name), await client.delete("k").then(() => "deleted", (error) => error.name));
  close();
}

// Nobody answers: what is aborted ends.
{
  const { client, close } = await serve(({ socket }) => void setTimeout(() => socket.destroy(), 3000).unref());
  const response = fetch(client.presign("k"), { signal: AbortSignal.timeout(50) });
  say(await outcome(response).then((text) => text.startsWith("TimeoutError")));
  close();
}

// A server that takes an upload slowly gets all of it, and the writer waits for it.
{
  let taken = 0;
  const { client, close } = await serve(async ({ socket, length, rest }) => {
    taken += rest.length;
    socket.pause();
    let left = length - rest.length;
    while (left > 0) {
      const chunk = socket.read();
      if (chunk === null) {
        await pause(1);
        continue;
      }
      left -= chunk.length;
      taken += chunk.length;
      if (taken % 7 === 0) await pause(1);
    }
    socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nETag: "e"\r\nContent-Length: 0\r\n\r\n');
  });
  say(await client.write("k", Buffer.alloc(4 << 20, 1)), taken);
  close();
}

// One that goes away in the middle of an upload is asked again; the second time it takes it.
{
  let tries = 0;
  const { client, close } = await serve(({ socket, length, rest }) => {
    if (++tries === 1) return socket.destroy();
    let left = length - rest.length;
    const done = () => socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nETag: "e"\r\nContent-Length: 0\r\n\r\n');
    if (left <= 0) return done();
    socket.on("data", (chunk) => (left -= chunk.length) <= 0 && done());
  });
  say(await outcome(client.write("k", Buffer.alloc(1 << 20, 1))), tries);
  close();
}
process.exit();
