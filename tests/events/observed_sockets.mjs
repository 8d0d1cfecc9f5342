// expected: recorded from node 25.9.0, but for who listens to channels: Node has no channels for that
// PerformanceObserver: entries of requests and of connections; the diagnostics channel of workers.
import { hasSubscribers, subscribe } from "node:diagnostics_channel";
import { createServer, request } from "node:http";
import { connect, createServer as createNetServer } from "node:net";
import { PerformanceObserver } from "node:perf_hooks";
import { Worker } from "node:worker_threads";
import { once } from "node:events";

const { supportedEntryTypes } = PerformanceObserver;
console.log(["function", "http", "mark", "measure", "net", "resource"].every((type) => supportedEntryTypes.includes(type)));
const seen = [];
const observer = new PerformanceObserver((list) => seen.push(...list.getEntries()));
observer.observe({ entryTypes: ["http", "net"] });

const server = createServer((req, res) => res.writeHead(201, "Made", { "x-answer": "yes" }).end("hello"));
server.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address();
const client = request({ host: "127.0.0.1", port, path: "/a?b", method: "POST", headers: { "x-asks": "1" } });
client.end("text");
const [answer] = await once(client, "response");
await answer.toArray();
server.close();

const plain = createNetServer((socket) => socket.end()).listen(0, "127.0.0.1");
await once(plain, "listening");
const socket = connect(plain.address().port, "127.0.0.1");
socket.resume();
await once(socket, "close");
plain.close();
await new Promise((resolve) => setTimeout(resolve, 50));
const other = new PerformanceObserver(() => {});
other.observe({ type: "http" });
const isHeard = () => ["http.client.request.start", "http.server.response.finish", "net.client.socket"].map(hasSubscribers);
console.log("observed", isHeard());
observer.disconnect();
console.log("http", isHeard());
other.disconnect();
console.log("nothing", isHeard());
other.observe({ entryTypes: ["net", "mark"] });
other.observe({ entryTypes: ["mark"] });
console.log("mark", isHeard());
other.disconnect();

const told = seen
  .map(({ name, entryType, startTime, duration, detail }) => {
    const { req, res, host } = detail;
    const what =
      req === undefined
        ? host
        : [req.method, req.url.replace(port, "PORT"), req.headers["x-asks"], res.statusCode, res.statusMessage, res.headers["x-answer"]].join(" ");
    return `${entryType} ${name} ${what} ${startTime > 0 && duration >= 0}`;
  })
  .sort();
console.log(told.join("\n"));

subscribe("worker_threads", ({ worker }) => console.log("worker", worker instanceof Worker));
await once(new Worker("1", { eval: true }), "exit");
