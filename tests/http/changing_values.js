// Values of headers that become another text when they are asked again, and arrays that change after they were set: what is checked is
// what is sent. By hand (Node sends what it has not checked).
const http = require("node:http");
const net = require("node:net");

const changing = (after) => {
  let asked = 0;
  return { toString: () => (asked++ < after ? "a" : "a\r\nInjected: 1") };
};
const cases = {
  set: (response) => response.setHeader("x", changing(1)),
  "set, twice": (response) => response.setHeader("x", changing(2)),
  array: (response) => {
    const values = ["a"];
    response.setHeader("x", values);
    values.push("b\r\nInjected: 1");
  },
  cookies: (response) => {
    const values = ["a", "b"];
    response.setHeader("cookie", values);
    values[1] = "b\r\nInjected: 1";
  },
  message: (response) => { response.statusMessage = changing(1); },
  head: (response) => response.writeHead(200, { x: changing(1) }),
  "head, list": (response) => response.writeHead(200, ["x", changing(1)]),
  hints: (response) => response.writeEarlyHints({ link: "</a>; rel=preload", x: changing(1) }),
  trailers: (response) => { response.setHeader("trailer", "x"); response.write("body"); response.addTrailers({ x: changing(1) }); },
};
const server = http.createServer((request, response) => {
  const name = decodeURIComponent(request.url.slice(1));
  try {
    cases[name](response);
    response.end("ok");
  } catch (error) {
    console.log(name, error.code);
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    response.statusMessage = "OK";
    response.end("refused");
  }
}).listen(0, "127.0.0.1", async () => {
  for (const name of Object.keys(cases)) {
    const text = await new Promise((resolve) => {
      let text = "";
      const socket = net.connect(server.address().port, "127.0.0.1", () => socket.write(`GET /${encodeURIComponent(name)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`));
      socket.on("data", (chunk) => { text += chunk; }).on("close", () => resolve(text));
    });
    console.log(name, /^Injected/m.test(text) ? "injected" : "clean", /^x: .*$|^HTTP\/1.1 200 .*$/m.exec(text)?.[0].trim(), text.split("\r\n\r\n").at(-1).trim());
  }
  server.close();
});
