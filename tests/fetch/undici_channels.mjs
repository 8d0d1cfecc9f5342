// Requests of fetch on the diagnostics channels of undici, as programs that trace them expect (OpenTelemetry).
import dc from "node:diagnostics_channel";
import http from "node:http";

for (const name of ["create", "bodySent", "headers", "trailers", "error"])
  dc.subscribe(`undici:request:${name}`, (message) => {
    const { request, response, error } = message;
    if (name === "create") request.addHeader("x-trace", "1");
    console.log(name, request.method, request.path, request.completed, response?.statusCode, error?.code);
  });
dc.subscribe("undici:client:sendHeaders", ({ headers }) => console.log("sendHeaders", /x-trace: 1/.test(headers)));

const server = http.createServer((request, response) => {
  console.log("server got", request.headers["x-trace"]);
  request.resume();
  request.on("end", () => {
    if (request.url === "/moved") response.writeHead(302, { location: "/a" });
    response.end("hi");
  });
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const base = `http://127.0.0.1:${server.address().port}`;
console.log(await (await fetch(`${base}/a`)).text());
console.log(await (await fetch(`${base}/b`, { method: "POST", body: "xyz" })).text());
server.close();
server.closeAllConnections();

const gone = http.createServer();
await new Promise((done) => gone.listen(0, "127.0.0.1", done));
const { port } = gone.address();
await new Promise((done) => gone.close(done));
await fetch(`http://127.0.0.1:${port}/gone`).catch((error) => console.log("rejected", error.cause?.code));
