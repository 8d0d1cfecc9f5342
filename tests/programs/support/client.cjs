// A request to a server of the same program, over loopback; the answer without what differs from run to run.
const http = require("node:http");
exports.listen = (server) => new Promise((done) => server.listen(0, "127.0.0.1", () => done(server.address().port)));
exports.ask = (port, path, { method = "GET", headers = {}, body } = {}) =>
  new Promise((done, fail) => {
    const request = http.request({ port, host: "127.0.0.1", path, method, headers, agent: false }, (response) => {
      const chunks = [];
      response
        .on("data", (chunk) => chunks.push(chunk))
        .on("end", () => {
          const shown = Object.fromEntries(
            Object.entries(response.headers)
              .filter(([name]) => !["date", "keep-alive", "connection", "last-modified", "etag"].includes(name))
              .sort(([a], [b]) => (a < b ? -1 : 1)),
          );
          done({ status: response.statusCode, headers: shown, body: Buffer.concat(chunks) });
        });
    });
    request.on("error", fail).end(body);
  });
exports.show = async (...request) => {
  const { status, headers, body } = await exports.ask(...request);
  console.log(request[2]?.method ?? "GET", request[1], status, headers, body.toString());
};
