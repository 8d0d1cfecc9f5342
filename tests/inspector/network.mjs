// expected: written by hand
// The domain Network: requests of node:http, node:http2 and fetch as a session of the inspector hears of them, their bodies, what a
// program tells itself, resources, and the domain DOMStorage.
import http from "node:http";
import http2 from "node:http2";
import { Network, NetworkResources, DOMStorage, Session } from "node:inspector/promises";
import { once } from "node:events";

const session = new Session();
session.connect();
const seen = [];
const ids = new Map();
const id = (requestId) => {
  if (!ids.has(requestId)) ids.set(requestId, ids.size + 1);
  return ids.get(requestId);
};
session.on("inspectorNotification", ({ method, params }) => {
  if (!method.startsWith("Network.")) return;
  const { request, response, initiator, errorText } = params;
  let line = `${method} ${id(params.requestId)}`;
  if (request) line += ` ${request.method} ${new URL(request.url).pathname} ${request.hasPostData}`;
  if (response) line += ` ${params.type} ${response.status} ${response.mimeType} ${response.charset} ${response.headers["x-a"]}`;
  if (errorText) line += ` ${typeof errorText}`;
  if (initiator) line += ` ${initiator.stack.callFrames.some(({ url }) => url.includes("network.mjs"))}`;
  seen.push(line);
});
const flush = (title) => {
  console.log(title);
  for (const line of seen.splice(0)) console.log(`  ${line}`);
};
const last = () => [...ids.keys()].at(-1);

const server = http.createServer((req, res) => {
  if (req.url === "/fails") return req.socket.destroy();
  res.setHeader("X-A", ["1", "2"]);
  res.setHeader("Content-Type", req.url === "/text" ? "text/plain; charset=UTF-8" : "application/octet-stream");
  res.write("first ");
  setTimeout(() => res.end("sécond"), 5);
});
await once(server.listen(0, "127.0.0.1"), "listening");
const base = `http://127.0.0.1:${server.address().port}`;

// Nobody has enabled it.
await (await fetch(`${base}/text`)).text();
flush("not enabled");

await session.post("Network.enable");
const response = await new Promise((resolve) => http.get(`${base}/text`, resolve));
console.log(response.readableFlowing, (await response.toArray()).join(""));
console.log(await session.post("Network.getResponseBody", { requestId: last() }));
flush("http");

await new Promise((resolve) => http.get(`${base}/fails`).on("error", resolve));
console.log(await session.post("Network.getResponseBody", { requestId: last() }).catch((error) => error.message));
flush("http that fails");

console.log(await (await fetch(`${base}/bytes`)).text());
const { body, base64Encoded } = await session.post("Network.getResponseBody", { requestId: last() });
console.log(base64Encoded, Buffer.from(body, "base64").toString());
flush("fetch");
await fetch(`${base}/fails`).catch(() => {});
flush("fetch that fails");

const second = http2.createServer((request, response) => {
  request.resume().on("end", () => {
    response.setHeader("x-a", "h2");
    response.setHeader("content-type", "text/plain;charset=utf-8");
    response.end("answer");
  });
});
await once(second.listen(0, "127.0.0.1"), "listening");
const client = http2.connect(`http://127.0.0.1:${second.address().port}`);
const stream = client.request({ ":method": "POST", ":path": "/post", "content-type": "text/plain; charset=utf-8" });
stream.write("què");
stream.end("stion");
await once(stream.resume(), "close");
console.log((await session.post("Network.getRequestPostData", { requestId: last() })).postData);
console.log((await session.post("Network.getResponseBody", { requestId: last() })).body);
flush("http2");
client.close();
second.close();

// A program's own request, whose content is told as it comes.
const told = (event, params) => Network[event]({ requestId: "own", timestamp: 1, ...params });
told("requestWillBeSent", { wallTime: 1, request: { url: "x://host/own", method: "PUT", headers: {} } });
told("responseReceived", { type: "Other", response: { url: "x:", status: 204, statusText: "", headers: {} } });
const piece = (text) => told("dataReceived", { dataLength: 1, encodedDataLength: 1, data: Buffer.from(text) });
piece("kept");
console.log(Buffer.from((await session.post("Network.streamResourceContent", { requestId: "own" })).bufferedData, "base64") + "");
session.once("Network.dataReceived", ({ params }) => console.log("streamed", Buffer.from(params.data, "base64") + ""));
piece("live");
told("loadingFinished", {});
told("requestWillBeSent", {});
flush("own");
for (const wrong of [() => Network.loadingFailed("x"), () => NetworkResources.put("x"), () => DOMStorage.registerStorage({})]) {
  try {
    wrong();
  } catch (error) {
    console.log(error.code);
  }
}

NetworkResources.put("x://map", "contents");
const { resource } = await session.post("Network.loadNetworkResource", { url: "x://map" });
console.log(resource.success, await session.post("IO.read", { handle: resource.stream, size: 4 }));
console.log(await session.post("IO.read", { handle: resource.stream }));
await session.post("IO.close", { handle: resource.stream });
console.log(await session.post("IO.read", { handle: resource.stream }));
console.log((await session.post("Network.loadNetworkResource", { url: "x://other" })).resource);

sessionStorage.setItem("a", 1);
const items = (isLocalStorage) => session.post("DOMStorage.getDOMStorageItems", { storageId: { isLocalStorage } });
console.log(await items(false), await session.post("Storage.getStorageKey"));
DOMStorage.registerStorage({ isLocalStorage: true, storageMap: { b: 2 } });
console.log(await items(true));

await session.post("Network.disable");
await (await fetch(`${base}/text`)).text();
flush("disabled");
session.disconnect();
server.close();
server.closeAllConnections();
