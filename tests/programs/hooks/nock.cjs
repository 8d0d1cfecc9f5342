// nock 13 and sinon: requests that are answered without a network, functions of built-in modules that are replaced.
const http = require("node:http");
const https = require("node:https");
const sinon = require("sinon");
const nock = require("nock");

const get = (url, module = http) =>
  new Promise((resolve, reject) => {
    module
      .get(url, (response) => {
        let text = "";
        response.on("data", (chunk) => (text += chunk));
        response.on("end", () => resolve([response.statusCode, response.headers["x-made"], text]));
      })
      .on("error", reject);
  });

(async () => {
  nock.disableNetConnect();
  const scope = nock("http://example.test").get("/a").query({ q: "1" }).reply(201, { ok: true }, { "x-made": "by nock" });
  nock("https://secure.test").persist().post("/b", { name: "x" }).reply(200, (uri, body) => `${uri} ${JSON.stringify(body)}`);
  console.log(await get("http://example.test/a?q=1"), scope.isDone());
  const posted = await new Promise((resolve, reject) => {
    const request = https.request("https://secure.test/b", { method: "POST", headers: { "content-type": "application/json" } }, (response) => {
      response.setEncoding("utf8").on("data", resolve);
    });
    request.on("error", reject);
    request.end(JSON.stringify({ name: "x" }));
  });
  console.log(posted);
  nock("http://example.test").get("/error").replyWithError(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }));
  console.log(await get("http://example.test/error").catch((error) => [error.code, error.message]));
  console.log(await get("http://other.test/").catch((error) => error.code));
  console.log(nock.pendingMocks());
  nock.cleanAll();
  nock.restore();
  nock.enableNetConnect();

  const fs = require("node:fs");
  const stub = sinon.stub(fs, "readFileSync").returns("stubbed");
  console.log(fs.readFileSync("nowhere"), stub.calledOnceWith("nowhere"));
  sinon.restore();
  const os = require("node:os");
  sinon.replace(os, "hostname", () => "replaced");
  console.log(os.hostname());
  sinon.restore();
  const spy = sinon.spy(http, "request");
  const server = http.createServer((request, response) => response.end("spied")).listen(0, async () => {
    const request = http.request({ port: server.address().port }, (response) => {
      response.on("data", (chunk) => console.log(`${chunk}`, spy.callCount));
      response.on("end", () => server.close());
    });
    request.end();
  });
})();
