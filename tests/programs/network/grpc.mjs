// @grpc/grpc-js, unchanged: a server and a client, all four kinds of calls, metadata, status codes, deadlines, cancelling; many at once.
import grpc from "@grpc/grpc-js";
import loader from "@grpc/proto-loader";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const file = join(mkdtempSync(join(tmpdir(), "grpc-")), "sums.proto");
writeFileSync(file, `syntax = "proto3"; package test;
message Number { int32 value = 1; bytes payload = 2; }
service Sums {
  rpc Double (Number) returns (Number);
  rpc Count (Number) returns (stream Number);
  rpc Sum (stream Number) returns (Number);
  rpc Echo (stream Number) returns (stream Number);
  rpc Hang (Number) returns (stream Number);
}`);
const { test } = grpc.loadPackageDefinition(loader.loadSync(file));

const server = new grpc.Server();
let cancelled;
const wasCancelled = new Promise((resolve) => { cancelled = resolve; });
server.addService(test.Sums.service, {
  Double(call, callback) {
    const { value, payload } = call.request;
    if (value < 0) {
      const trailers = new grpc.Metadata();
      trailers.set("why", "negative");
      callback({ code: grpc.status.INVALID_ARGUMENT, details: "no negative numbers", metadata: trailers });
      return;
    }
    const head = new grpc.Metadata();
    head.set("seen", String(call.metadata.get("token")[0]));
    call.sendMetadata(head);
    callback(null, { value: value * 2, payload });
  },
  async Count(call) {
    for (let i = 0; i < call.request.value; i++) {
      if (!call.write({ value: i, payload: Buffer.alloc(1000) })) await new Promise((resolve) => call.once("drain", resolve));
    }
    call.end();
  },
  Sum(call, callback) {
    let value = 0;
    call.on("data", (message) => { value += message.value; }).on("end", () => callback(null, { value }));
  },
  Echo(call) {
    call.on("data", (message) => call.write({ value: message.value + 1 })).on("end", () => call.end());
  },
  Hang(call) {
    call.write({ value: 1 });
    call.on("cancelled", () => cancelled("cancelled"));
  },
});
const port = await new Promise((resolve, reject) => {
  server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound)));
});
const client = new test.Sums(`127.0.0.1:${port}`, grpc.credentials.createInsecure());

const metadata = new grpc.Metadata();
metadata.set("token", "t1");
const double = (value, payload) => new Promise((resolve, reject) => {
  client.Double({ value, payload }, metadata, (error, answer) => (error ? reject(error) : resolve(answer)));
});
const call = client.Double({ value: 4 }, metadata, () => {});
call.on("metadata", (head) => console.log("metadata", head.get("seen")));
await new Promise((resolve) => call.on("status", ({ code, details }) => { console.log("status", code, details); resolve(); }));
console.log("unary", (await double(21)).value);
console.log("large", (await double(1, Buffer.alloc(1 << 20, 7))).payload.length);
await double(-1).catch((error) => console.log("error", error.code, error.details, error.metadata.get("why")));
console.log("at once", (await Promise.all(Array.from({ length: 300 }, (_, i) => double(i)))).reduce((sum, { value }) => sum + value, 0));

let count = 0, bytes = 0;
for await (const { payload } of client.Count({ value: 3000 })) {
  count++;
  bytes += payload.length;
}
console.log("server streams", count, bytes);

console.log("client streams", await new Promise((resolve, reject) => {
  const upload = client.Sum((error, { value }) => (error ? reject(error) : resolve(value)));
  for (let value = 0; value < 2000; value++) upload.write({ value });
  upload.end();
}));

const both = client.Echo();
let last = 0;
both.on("data", ({ value }) => {
  last = value;
  if (value < 200) both.write({ value });
  else both.end();
});
both.write({ value: 0 });
await new Promise((resolve) => both.on("end", resolve));
console.log("both ways", last);

const hanging = client.Hang({ value: 1 });
hanging.on("data", () => hanging.cancel());
await new Promise((resolve) => hanging.on("error", ({ code }) => { console.log("cancelled here", code); resolve(); }));
console.log("there", await wasCancelled);
await new Promise((resolve) => {
  client.Hang({ value: 1 }, { deadline: Date.now() + 100 }).on("data", () => {}).on("error", ({ code }) => { console.log("deadline", code); resolve(); });
});
await new Promise((resolve) => client.makeUnaryRequest("/test.Sums/Nothing", (x) => x, (x) => x, Buffer.alloc(0), ({ code }) => { console.log("unknown", code); resolve(); }));
client.close();
await new Promise((resolve) => server.tryShutdown(resolve));
console.log("down");
