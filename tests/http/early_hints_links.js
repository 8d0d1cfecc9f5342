// expected: recorded from node 25.9, but for the last line, which takes Node hours. Links of early hints: what is one, in linear time.
const http = require("node:http");

const links = [
  "</a.css>",
  "</a.css>; rel=preload; as=style",
  '</a.css>; rel="preload"; title=a=b',
  '</a.css> ;rel=""',
  "<>;a",
  '</a.css>; ="x"',
  '</a.css>; rel="pre load"',
  "</a.css>; rel=preload; ",
  "/a.css",
  `</x>${";a=b".repeat(5000)} `,
];
const server = http.createServer((request, response) => {
  for (const link of links) {
    try {
      response.writeEarlyHints({ link });
      console.log(link.slice(0, 40), "is taken");
    } catch (error) {
      console.log(link.slice(0, 40), error.code);
    }
  }
  response.end();
});
server.listen(0, "127.0.0.1", () => {
  http.get({ port: server.address().port, host: "127.0.0.1" }, (response) => {
    response.resume();
    response.on("end", () => server.close());
  });
});
