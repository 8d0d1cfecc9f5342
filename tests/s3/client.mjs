// S3Client against a server of this file's own, which checks every signature: objects, ranges, lists, uploads in parts, failures.
import { S3Client } from "bun";
import { createHash, createHmac } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const say = (...what) => console.log(...what);
const outcome = (promise) => promise.then((value) => value, (error) => `${error.name} ${error.code}: ${error.message} (${error.path})`);
const MIB = 1024 * 1024;
const objects = new Map();
const uploads = new Map();
/** What goes wrong next: called with method and search, gives a response or nothing. */
let trouble = () => undefined;
let log = [];

function isSigned(request, url) {
  const [, credential, names, signature] = /Credential=([^,]+), SignedHeaders=([^,]+), Signature=(\w+)/.exec(request.headers.get("authorization")) ?? [];
  const hmac = (key, text) => createHmac("sha256", key).update(text).digest();
  const [id, day, region, service, end] = credential.split("/");
  const headers = names.split(";").map((name) => `${name}:${request.headers.get(name)}\n`).join("");
  const query = url.search.slice(1).split("&").filter(Boolean).sort().join("&");
  const text = [request.method, url.pathname, query, headers, names, request.headers.get("x-amz-content-sha256")].join("\n");
  const key = [region, service, end].reduce(hmac, hmac("AWS4secret", day));
  const wanted = hmac(key, ["AWS4-HMAC-SHA256", request.headers.get("x-amz-date"), `${day}/${region}/${service}/${end}`, createHash("sha256").update(text).digest("hex")].join("\n"));
  return id === "id" && wanted.toString("hex") === signature;
}

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const url = new URL(request.url);
    const body = Buffer.from(await request.arrayBuffer());
    const { method } = request;
    if (!isSigned(request, url)) return new Response("<Error><Code>SignatureDoesNotMatch</Code><Message>no &amp; no</Message></Error>", { status: 403 });
    log.push(`${method} ${url.search.replace(/=$/, "")}`);
    const wrong = await trouble(method, url.search);
    if (wrong !== undefined) return wrong;
    // It is copied by reading and writing then.
    if (request.headers.has("x-amz-copy-source")) return new Response("<Error><Code>NotImplemented</Code></Error>", { status: 501 });
    const key = decodeURIComponent(url.pathname.slice("/bucket/".length));
    const { searchParams: query } = url;
    const id = query.get("uploadId");
    if (query.has("uploads")) {
      uploads.set("up", []);
      return new Response("<R><UploadId>up</UploadId></R>");
    }
    if (id !== null && method === "PUT") {
      uploads.get(id)[query.get("partNumber") - 1] = body;
      return new Response("", { headers: { etag: `"${query.get("partNumber")}"` } });
    }
    if (id !== null && method === "DELETE") return uploads.delete(id), new Response(null, { status: 204 });
    if (id !== null) {
      say("completed", body.toString().match(/<ETag>.*?<\/ETag>/g).join(""));
      objects.set(key, { body: Buffer.concat(uploads.get(id)), type: "" });
      uploads.delete(id);
      return new Response("<CompleteMultipartUploadResult/>");
    }
    if (query.has("list-type")) {
      const keys = [...objects.keys()].filter((name) => name.startsWith(query.get("prefix") ?? "")).sort();
      const contents = keys.map((name) => `<Contents><Key>${name.replace(/&/g, "&amp;")}</Key><Size>${objects.get(name).body.length}</Size></Contents>`);
      return new Response(`<ListBucketResult><Name>bucket</Name><KeyCount>${keys.length}</KeyCount><IsTruncated>false</IsTruncated>${contents.join("")}</ListBucketResult>`);
    }
    if (method === "PUT") return objects.set(key, { body, type: request.headers.get("content-type") }), new Response("");
    if (method === "DELETE") return objects.delete(key), new Response(null, { status: 204 });
    const object = objects.get(key);
    if (object === undefined) return new Response(method === "HEAD" ? null : "<Error><Code>NoSuchKey</Code><Message>There is no such key</Message></Error>", { status: 404 });
    const range = /bytes=(\d+)-(\d*)/.exec(request.headers.get("range"));
    const part = range === null ? object.body : object.body.subarray(+range[1], range[2] === "" ? undefined : +range[2] + 1);
    const headers = { "content-length": part.length, "content-type": object.type, etag: '"tag"', "last-modified": "Wed, 01 Jan 2025 00:00:00 GMT" };
    return new Response(method === "HEAD" ? null : part, { status: range === null ? 200 : 206, headers });
  },
});
const options = { accessKeyId: "id", secretAccessKey: "secret", bucket: "bucket", endpoint: `http://127.0.0.1:${server.port}`, region: "here" };
const client = new S3Client(options);

// Objects.
const name = "folder/a b+c&d ü*'().txt";
const file = client.file(name);
say(await file.write("Hello World"), await file.text(), await file.exists(), file.name, file.bucket, objects.get(name).type);
say(await file.slice(6).text(), await file.slice(0, 5).text(), await file.slice(2, 9).slice(1, 3).text(), JSON.stringify(await file.slice(3, 3).text()));
say(await file.bytes(), await new Response(file.stream()).text(), (await file.arrayBuffer()).byteLength);
say(await client.write("x.json", new Response('{"a":1}')), await client.file("x.json").json(), await client.write("blob", new Blob(["b"], { type: "text/x" })), objects.get("blob").type);
const { etag, lastModified, size, type } = await client.stat("x.json");
say(etag, lastModified.toISOString(), size, type, await client.size("x.json"));
say(await client.list({ prefix: "folder" }), (await client.list()).keyCount);
say(await outcome(client.file("none").text()), await outcome(client.stat("none")), await client.exists("none"), await client.delete("blob"), await client.exists("blob"));
say(await outcome(new S3Client({ ...options, secretAccessKey: "wrong" }).file("x").text()));

// Bun.write, Bun.file, fetch, Response.
const local = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "s3-")), "file");
say(await Bun.write(client.file("copy"), file), await Bun.write(local, client.file("copy")), fs.readFileSync(local, "utf8"), await Bun.write(client.file("up"), Bun.file(local)));
say(await Bun.file("s3://copy", options).text(), await (await fetch("s3://copy", { s3: options, headers: { range: "bytes=0-4" } })).text());
say((await fetch("s3://put", { method: "PUT", body: "put", s3: options, headers: { "content-type": "text/own" } })).status, objects.get("put").type);
const response = new Response(file);
say(response.status, new URL(response.headers.get("location")).searchParams.get("X-Amz-Expires"));
say(new URL(file.presign({ expiresIn: 60, method: "PUT", acl: "private" })).search.replace(/\d{8}T\d{6}Z|%2F\d{8}|Signature=\w+/g, ""));

// An archive is written as its bytes.
{
  const archive = new Bun.Archive({ "hello.txt": "Hello" });
  await client.write("one.tar", archive);
  await Bun.write(client.file("two.tar"), archive);
  say([...(await new Bun.Archive(objects.get("one.tar").body).files()).keys()], objects.get("one.tar").body.equals(objects.get("two.tar").body));
}

// Uploads in parts.
log = [];
const writer = client.file("big", { partSize: 5 * MIB, queueSize: 2 }).writer();
for (let i = 0; i < 12; i++) await writer.write(Buffer.alloc(MIB, i));
say(await writer.end(), log.sort(), objects.get("big").body.length, objects.get("big").body[11 * MIB]);
log = [];
say(await client.write("large", Buffer.alloc(11 * MIB, 1)), log.length, await client.write("stream", new Response(new Blob(["a".repeat(100)]).stream())), objects.get("stream").body.length);

// So many parts are under way at once: the first is answered when there is another one, the third comes after one of them has ended.
{
  const { promise, resolve } = Promise.withResolvers();
  let under = 0;
  let most = 0;
  trouble = (method, search) => {
    if (!search.includes("partNumber")) return undefined;
    most = Math.max(most, ++under);
    if (under === 2) resolve();
    return promise.then(() => void under--);
  };
  say(await client.write("side by side", Buffer.alloc(13 * MIB), { queueSize: 2 }), most);
  const one = client.file("one chunk", { queueSize: 2 }).writer();
  void one.write(Buffer.alloc(31 * MIB));
  say(await one.end(), most);
}

// Failures.
let left = 2;
trouble = (method, search) => (search.includes("partNumber=2") && left-- > 0 ? new Response("busy", { status: 503 }) : undefined);
say("two times 503:", await client.write("retried", Buffer.alloc(11 * MIB)), left);
trouble = (method, search) => (search.includes("partNumber=2") ? new Response("<Error><Code>SlowDown</Code><Message>Not now</Message></Error>", { status: 503 }) : undefined);
say("always 503:", await outcome(client.write("given up", Buffer.alloc(11 * MIB), { retry: 1 })), objects.has("given up"), uploads.size);
trouble = (method, search) => (method === "POST" && search.includes("uploadId") ? new Response("<Error><Code>InternalError</Code><Message>late</Message></Error>") : undefined);
say("an error with status 200:", await outcome(client.write("late", Buffer.alloc(11 * MIB), { retry: 0 })), uploads.size);
trouble = (method, search) => (search === "?uploads=" ? new Response("<R/>") : undefined);
say(await outcome(client.write("no id", Buffer.alloc(11 * MIB), { retry: 0 })));
trouble = () => new Response("<Error><Code>" + "x".repeat(50) + "</Code><Message>&#1114112;&#x41;&bogus;</Message>", { status: 400 });
say(await outcome(client.file("odd").text()));
trouble = () => undefined;
const broken = client.file("broken").writer({ partSize: 5 * MIB });
await broken.write(Buffer.alloc(6 * MIB));
say(await outcome(broken.end(new Error("changed my mind"))), uploads.size);

// What cannot be asked for.
for (const wrong of [{ bucket: undefined }, { accessKeyId: "" }, { endpoint: "http://" }, { endpoint: "bücher.example" }, { acl: "all" }, { storageClass: "x" }, { partSize: 1 }, { queueSize: 0 }, { retry: 256 }, { region: 5 }, { contentDisposition: "a\r\nb" }]) {
  try {
    const empty = "bucket" in wrong || "accessKeyId" in wrong;
    say(await new S3Client(empty ? { ...options, [Object.keys(wrong)[0]]: undefined } : { ...options, ...wrong }).file("key").text());
  } catch ({ name, code, message }) {
    say(name, code, message);
  }
}
say(await outcome((async () => new S3Client({ ...options, sessionToken: "a".repeat(4095) }).presign("key").length > 4095)()));
say(await outcome((async () => new S3Client({ ...options, sessionToken: "a".repeat(4096) }).presign("key"))()));
say(await outcome(client.file("").text()), await outcome(client.file("a\nb").text()), await outcome(client.file("k".repeat(1025)).text()));
server.stop(true);
fs.rmSync(path.dirname(local), { recursive: true });

// Hostile answers: work that grows with their size only, memory that does not.
{
  let answer;
  const peer = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => answer(new URL(request.url)) });
  const client = new S3Client({ ...options, endpoint: `http://127.0.0.1:${peer.port}` });
  for (const text of ["<Contents>", "<CommonPrefixes><Prefix>", "<Contents><Owner>", "<Contents "]) {
    answer = () => new Response(`<ListBucketResult><Name>n</Name>${text.repeat(200_000)}`);
    say(text, await outcome(client.list().then((list) => Object.keys(list))));
  }
  answer = () => new Response("x".repeat(10 * MIB), { status: 400 });
  const { code, message } = await client.file("k").text().catch((error) => error);
  say(code, message.length);
  answer = () => new Response(null, { status: 307, headers: { location: `http://localhost:${peer.port}/elsewhere` } });
  say(await outcome(client.file("moved").text()));
  answer = ({ pathname }) => new Response(pathname);
  for (const url of ["s3://k/100%", "s3://k/a b", "s3://k/\u00fc"]) say(await (await fetch(url, { s3: { ...client, ...options, bucket: undefined, endpoint: `http://127.0.0.1:${peer.port}` } })).text());
  say(await client.file("\ud800").text());
  try {
    client.file("k").slice(-4);
  } catch ({ name, message }) {
    say(name, message);
  }
  peer.stop(true);
  const net = await import("node:net");
  const short = net.createServer((socket) => socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort")));
  await new Promise((done) => short.listen(0, "127.0.0.1", done));
  const { name, code: reason, path: at } = await new S3Client({ ...options, endpoint: `http://127.0.0.1:${short.address().port}` }).file("cut").text().catch((error) => error);
  say(name, reason, at);
  short.close();
}
