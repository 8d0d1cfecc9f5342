// expected: recorded from node 25.9. An agent for both modules asks the stack which of them calls, as those of the package agent-base do.
import http from "node:http";
import https from "node:https";
import { readFileSync } from "node:fs";
import net from "node:net";
import tls from "node:tls";

const isSecure = () => new Error().stack.split("\n").some((line) => line.includes("(https.js:") || line.includes("node:https:"));

class Both extends http.Agent {
  get protocol() {
    return isSecure() ? "https:" : "http:";
  }
  // The constructor of http.Agent assigns it.
  set protocol(_) {}

  createConnection(options, callback) {
    console.log("connects", isSecure() ? "with TLS" : "without");
    return (isSecure() ? tls : net).connect(options, callback);
  }
}

const read = (name) => readFileSync(new URL(`support/${name}`, import.meta.url));
const agent = new Both();
for (const [module, options] of [
  [http, {}],
  [https, { key: read("key.pem"), cert: read("cert.pem"), rejectUnauthorized: false }],
]) {
  const server = module.createServer(options, (request, response) => response.end("hello"));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const response = await new Promise((resolve, reject) => {
    const { port } = server.address();
    module.get({ port, host: "127.0.0.1", agent, rejectUnauthorized: false }, resolve).on("error", reject);
  });
  response.resume();
  console.log(response.statusCode);
  await new Promise((resolve) => server.close(resolve));
}
// A URL of the other module.
for (const call of [
  () => http.request("https://localhost:1/", { agent }),
  () => https.request("http://localhost:1/", { agent }),
]) {
  try {
    call();
  } catch (error) {
    console.log(error.code, error.message);
  }
}
