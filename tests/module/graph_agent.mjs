// expected: recorded from bun 1.4.5
// A connection belongs to who made the agent; values of AsyncLocalStorage stay those of the request, whether or not there is a graph.
import { AsyncLocalStorage } from "node:async_hooks";
import dns from "node:dns";
import http from "node:http";
import net from "node:net";

const show = (...values) => console.log(...values);
const store = new AsyncLocalStorage();
const server = http.createServer((_, response) => response.end("x")).listen(0, "127.0.0.1");
await new Promise((resolve) => server.on("listening", resolve));
const { port } = server.address();
class Agent extends http.Agent {
  createConnection(options, done) {
    show("createConnection", store.getStore(), Bun.ModuleGraph.current === undefined);
    return net.createConnection(options, done);
  }
}
const agents = [new http.Agent(), new Agent()];
const get = (agent) =>
  new Promise((resolve, reject) => {
    const lookup = (host, options, done) => {
      show("lookup", store.getStore());
      dns.lookup(host, { ...options, family: 4 }, done);
    };
    const request = http.get({ port, host: "localhost", agent, lookup }, (response) => {
      show("response", store.getStore());
      response.resume().on("end", resolve);
    });
    request.on("error", reject);
    request.on("socket", (socket) => socket.on("connect", () => show("connect", store.getStore())));
  });

for (const agent of agents) await store.run("before", get, agent);
const graph = new Bun.ModuleGraph();
for (const agent of agents) await store.run("after", get, agent);
show("== of a graph");
const inner = graph.run(() => new Agent());
await get(inner);
await graph.run(get, agents[1]);
graph.dispose();
await store.run("end", get, agents[0]);
server.close();
