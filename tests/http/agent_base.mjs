// expected: as in Node: its stacks name node:https, which the package agent-base (npm, https-proxy-agent) looks for
// An agent that finds out from the stack whether a request is encrypted.
import http from "node:http";
import https from "node:https";

const isSecure = () => new Error("where").stack.split("\n").some((line) => line.includes("(https.js:") || line.includes("node:https:"));
class Agent extends http.Agent {
  get protocol() {
    return isSecure() ? "https:" : "http:";
  }
  set protocol(value) {}
  createConnection(options, callback) {
    console.log("connects", isSecure(), options.port);
    callback(new Error("enough"));
  }
}
const ended = (request) => new Promise((resolve) => request.on("error", (error) => resolve(error.message)).end());
console.log("https", await ended(https.request("https://localhost:1/", { agent: new Agent() })));
console.log("https get", await ended(https.get({ host: "localhost", port: 2, agent: new Agent() })));
console.log("http", await ended(http.request("http://localhost:3/", { agent: new Agent() })));
for (const call of [() => http.request("https://localhost:1/", { agent: new Agent() }), () => https.request("http://localhost:1/", { agent: new Agent() })]) {
  try {
    call();
  } catch (error) {
    console.log(error.code, error.message);
  }
}
