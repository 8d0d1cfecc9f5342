// expected: recorded from node 25.9.0
// What a session keeps of bodies: the sizes that Network.enable names, requests that are told of twice, bodies that are fetched twice.
// Node needs --experimental-network-inspection.
import inspector from "node:inspector";

const { Network } = inspector;
const session = new inspector.Session();
session.connect();
session.on("inspectorNotification", ({ method, params }) => console.log(" ", method, params.requestId));
const post = (method, params) =>
  new Promise((resolve) => {
    session.post(method, params, (error, value) => {
      // Which parameter it is, bao says behind that.
      if (error) resolve(error.message.replace(/(Invalid parameters).*/, "$1"));
      else resolve(value.body ?? value.postData ?? value.bufferedData ?? value);
    });
  });
const body = (requestId) => post("Network.getResponseBody", { requestId });
const posted = (requestId) => post("Network.getRequestPostData", { requestId });
const url = "http://a.test/";

function start(requestId, hasPostData = false) {
  const request = { url, method: "GET", headers: {}, hasPostData };
  Network.requestWillBeSent({ requestId, timestamp: 1, wallTime: 1, charset: "utf-8", request });
}
function respond(requestId) {
  const response = { url, status: 200, statusText: "", headers: {}, charset: "utf-8" };
  Network.responseReceived({ requestId, timestamp: 1, type: "Other", response });
}
function receive(requestId, ...texts) {
  for (const text of texts) {
    const data = Buffer.from(text);
    Network.dataReceived({ requestId, timestamp: 1, dataLength: data.length, encodedDataLength: data.length, data });
  }
}
const finish = (requestId) => Network.loadingFinished({ requestId, timestamp: 2 });
function whole(requestId, ...texts) {
  start(requestId);
  respond(requestId);
  receive(requestId, ...texts);
  finish(requestId);
}

console.log(await post("Network.enable"));
whole("once", "abc");
console.log(await body("once"), await body("once"));
start("twice");
start("twice");
respond("twice");
receive("twice", "first");
console.log(await body("twice"));
finish("twice");
start("twice");
console.log(await body("twice"));
respond("unknown");
finish("unknown");
start("posted", true);
console.log(await posted("posted"));
Network.dataSent({ requestId: "posted", timestamp: 1, dataLength: 2, data: Buffer.from("ab") });
Network.dataSent({ requestId: "posted", finished: true });
console.log(await posted("posted"), await posted("posted"));
whole("large", "x".repeat(6 << 20), "y");
console.log(await body("large"));

for (const value of [1.5, null, "8"]) console.log(await post("Network.enable", { maxTotalBufferSize: value }));
console.log(await post("Network.enable", { maxTotalBufferSize: 8, maxResourceBufferSize: 6 }));
console.log(await posted("posted"));
whole("a", "1234567", "12");
console.log(await body("a"));
start("sends", true);
Network.dataSent({ requestId: "sends", timestamp: 1, dataLength: 4, data: Buffer.from("abcd") });
Network.dataSent({ requestId: "sends", finished: true });
respond("sends");
receive("sends", "ef", "g");
finish("sends");
console.log(await posted("sends"), await body("sends"));
whole("b", "1234");
whole("c", "5678");
whole("d", "9");
console.log(await body("b"), await body("c"), await body("d"));
console.log(await post("Network.enable", { maxTotalBufferSize: 4 }));
whole("e", "12345");
console.log(await body("e"));
console.log(await post("Network.disable"), await body("d"));
