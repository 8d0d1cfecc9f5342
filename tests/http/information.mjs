// expected: recorded from bun 1.4.5, with the quotes that Node has in messages
// Informational responses: writeInformation() of node:http, its checks, and what goes over the wire.
import http from "node:http";
import net from "node:net";

const server = http.createServer((request, response) => {
  const attempt = (...given) => {
    try {
      response.writeInformation(...given);
      console.log("written", JSON.stringify(given));
    } catch (error) {
      console.log(error.name, error.code, error.message);
    }
  };
  attempt(103, { link: "</a>", "x-y": ["1", "2"] });
  attempt(110, ["a", "b"]);
  attempt(104, [["c", "d"], ["e", 5]]);
  attempt(102);
  attempt(100, null);
  for (const bad of [[99], [101], [200], [1.5], ["103"], [103, 5], [103, ["a"]], [103, { "a b": 1 }], [103, { a: "x\ny" }]]) attempt(...bad);
  response.end("x");
  attempt(103);
});
server.listen(0, "127.0.0.1", () => {
  const client = net.connect(server.address().port, "127.0.0.1");
  let text = "";
  client.write("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
  client.on("data", (data) => (text += data));
  client.on("end", () => {
    console.log(text.slice(0, text.indexOf("HTTP/1.1 200")));
    server.close();
  });
});
