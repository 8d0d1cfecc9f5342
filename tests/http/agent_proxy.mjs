// Agents that go through the proxies of an environment: what the proxy gets, and what a request hears of it.
import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import net from "node:net";

const answers = [];
const proxy = net.createServer((socket) => {
  let text = "";
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    text += chunk;
    if (!text.includes("\r\n\r\n")) return;
    console.log(text.trimEnd().replaceAll(/:\d{5}\b/g, ":PORT").split("\r\n"));
    text = "";
    const answer = answers.shift();
    if (answer !== undefined) socket.write(answer);
  });
});
proxy.listen(0, "127.0.0.1");
await once(proxy, "listening");
const { port } = proxy.address();
const url = `http://us%40er:pa%3Ass@127.0.0.1:${port}`;
const plain = (text) => String(text).replaceAll(port, "PORT");
const ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

const ask = (module, options, ...given) => {
  answers.push(...given);
  return new Promise((resolve) => {
    const request = module.request(options, (response) => response.resume().on("end", () => resolve(response.statusCode)));
    request.on("timeout", () => console.log("timeout"));
    request.on("error", (error) => resolve([error.name, error.code, plain(error.message), error.statusCode]));
    request.end(options.body);
  });
};

const agent = new http.Agent({ proxyEnv: { http_proxy: url, HTTP_PROXY: "http://other.test" } });
const kept = new http.Agent({ keepAlive: true, proxyEnv: { HTTP_PROXY: url, NO_PROXY: "near.test, .inside.test,10.0.0.1-10.0.0.9" } });
console.log(await ask(http, { agent, host: "far.test", path: "/a?b" }, ok));
console.log(await ask(http, { agent: kept, host: "far.test", port: 81, path: "/x" }, ok));
console.log(await ask(http, { agent: kept, host: "::1", port: 82, method: "POST", path: "/p", body: "text" }, ok));
// A path says nothing about the host (Node 25.9 asks for http://double/x).
console.log(await ask(http, { agent: kept, host: "far.test", path: "//double/x" }, ok));
console.log(await ask(http, { agent: kept, host: "far.test", path: "*", method: "OPTIONS" }, ok));

console.log("# not through the proxy");
const direct = http.createServer((request, response) => response.end(request.url)).listen(0, "127.0.0.1");
await once(direct, "listening");
const lookup = (name, options, done) => done(null, [{ address: "127.0.0.1", family: 4 }]);
for (const host of ["near.test", "a.inside.test", "sub.near.test"])
  console.log(await ask(http, { agent: kept, host, port: direct.address().port, lookup, path: "/d", headers: { Host: "x" } }, ok).then((code) => `${host} ${code}`));
answers.length = 0;
console.log(await ask(http, { agent: kept, socketPath: "/nothing/here" }));

console.log("# tunnels");
const secure = new https.Agent({ proxyEnv: { https_proxy: url } });
const secureKept = new https.Agent({ keepAlive: true, proxyEnv: { HTTPS_PROXY: url } });
console.log(await ask(https, { agent: secure, host: "far.test" }, "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"));
console.log(await ask(https, { agent: secureKept, host: "::1", port: 8443 }, "nonsense\r\n\r\n"));
console.log(await ask(https, { agent: secureKept, host: "far.test", timeout: 200 }));
try {
  https.request({ agent: secure, host: "far\r\nX: y", setHost: false });
} catch (error) {
  console.log(error.code);
}

console.log("# what is no proxy");
for (const text of ["http://:1", "http://256.256.256.256:1", "http://u\r\n@x", "socks5://a:1", "a:1"]) {
  for (const make of [(env) => new http.Agent({ proxyEnv: env }), (env) => http.setGlobalProxyFromEnv(env)]) {
    try {
      console.log(JSON.stringify(text), typeof make({ http_proxy: text }));
    } catch (error) {
      console.log(error.code, JSON.stringify(error.message));
    }
  }
}
for (const value of [1, [], null]) {
  try {
    http.setGlobalProxyFromEnv(value);
  } catch (error) {
    console.log(error.code, error.message);
  }
}

console.log("# all agents");
const restore = http.setGlobalProxyFromEnv({ http_proxy: url });
console.log(await ask(http, { host: "far.test" }, ok));
console.log(restore(), http.globalAgent.options.proxyEnv);
process.exit();
