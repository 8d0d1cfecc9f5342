// A media type that a program was given by somebody else and hands to Bun.file puts nothing into heads, neither a server's nor a client's.
import net from "node:net";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const dir = fs.mkdtempSync(path.join(os.tmpdir(), "bao-types-"));
const name = path.join(dir, "file");
fs.writeFileSync(name, "content of the file");
const html = path.join(dir, "page.html");
fs.writeFileSync(html, "<p>");

const types = ["text/plain\r\nSet-Cookie: evil=1\r\n\r\n<script>", "a\nb", "a\rb", "a\0b", "caf\u00e9/x", "a/\u{1F600}", "x\x7f", "x/y; a=\tb", "", "TEXT/x; a=b"];
for (const type of types) {
  const file = Bun.file(name, { type });
  console.log(JSON.stringify([type, file.type, file.slice(0, 3).type, file.slice(0, 1, type).type, file.slice(type).type, Bun.file(html, { type }).type]));
}

const [evil] = types;
const answers = {
  "/whole": () => new Response(Bun.file(name, { type: evil })),
  "/slice": () => new Response(Bun.file(name, { type: evil }).slice(0, 3)),
  "/typed": () => new Response(Bun.file(name).slice(0, 3, evil)),
  "/status": () => new Response(Bun.file(name, { type: evil }), { status: 201, headers: { a: "b" } }),
};
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", routes: { "/fixed": new Response(Bun.file(name, { type: evil })) }, fetch: (request) => answers[new URL(request.url).pathname]() });
for (const target of [...Object.keys(answers), "/fixed"]) {
  await new Promise((resolve) => {
    let out = "";
    const socket = net.connect(server.port, "127.0.0.1", () => socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`));
    socket.on("data", (chunk) => { out += chunk; });
    socket.on("close", () => {
      console.log(target, JSON.stringify(out.replace(/(Date|Last-Modified|ETag): .*/gi, "$1")));
      resolve();
    });
  });
}
await server.stop(true);

// What fetch sends.
const heads = [];
const listener = net.createServer((socket) => socket.once("data", (chunk) => {
  heads.push(String(chunk).split("\r\n").filter((line) => /type|inj|evil/i.test(line)).join("|"));
  socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
}));
await new Promise((resolve) => listener.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${listener.address().port}/`;
for (const body of [Bun.file(name, { type: "a\r\nInj: 1" }), Bun.file(name).slice(0, 4, "a\r\nInj: 1"), Bun.file(name, { type: "x/y" })]) {
  await fetch(url, { method: "POST", body });
}
console.log(heads.join("\n"));
listener.close();
fs.rmSync(dir, { recursive: true });
