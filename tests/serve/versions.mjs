// What a client writes for a version decides nothing but the answer 505: requests are told apart by what carries them. And a mistake
// in answering costs the client its connection, not the process.
import net from "node:net";

const heavy = new Uint8Array(300000);
const server = Bun.serve({
  port: 0, hostname: "127.0.0.1", development: false,
  routes: {
    "/fixed": new Response("fixed"),
    "/file": () => new Response(Bun.file(import.meta.path)),
    "/stream": () => new Response(new ReadableStream({ start(c) { c.enqueue(new Uint8Array(3)); c.close(); } })),
    "/broken": (request) => {
      // Both the answer and the page about the error ask for these.
      request.cookies.toSetCookieHeaders = () => { throw new Error("a mistake while answering"); };
      return new Response("never sent");
    },
    "/broken/later": async (request) => {
      await 1;
      request.cookies.toSetCookieHeaders = () => { throw new Error("a mistake while answering later"); };
    },
  },
  fetch: (request) => new Response(request.url.endsWith("/heavy") ? heavy : "ok"),
});

function send(text) {
  return new Promise((resolve) => {
    let out = "";
    const socket = net.connect(server.port, "127.0.0.1", () => socket.write(text));
    const timer = setTimeout(() => socket.destroy(), 500);
    socket.on("data", (chunk) => { out += chunk.toString("latin1"); });
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(out === "" ? "nothing" : out.slice(0, out.indexOf("\r\n")));
    });
  });
}

for (const version of ["HTTP/2.0", "HTTP/0.9", "HTTP/3.0", "HTTP/1.0", "HTTP/1.1"]) {
  for (const path of ["/", "/fixed", "/file", "/stream", "/heavy"]) {
    console.log(version, path, await send(`GET ${path} ${version}\r\nHost: x\r\nConnection: close\r\n\r\n`));
  }
}
console.log("without host", await send("GET / HTTP/2.0\r\n\r\n"));
console.log("with a body", await send("POST / HTTP/2.0\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"));
console.log("second", (await send("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/2.0\r\nHost: x\r\n\r\n")));
console.log("broken", await send("GET /broken HTTP/1.1\r\nHost: x\r\n\r\n"));
console.log("broken later", await send("GET /broken/later HTTP/1.1\r\nHost: x\r\n\r\n"));
console.log("lives", await (await fetch(server.url)).text(), server.pendingRequests);
await server.stop(true);
