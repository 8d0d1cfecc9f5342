// expected: written by hand
// S3: copies that the server makes by itself, a clock that goes wrong, and the memory of a large upload.
import { S3Client } from "bun";

const say = (...what) => console.log(...what);
const outcome = (promise) => promise.then((value) => value, (error) => `${error.name} ${error.code}: ${error.message}`);
const GIB = 1024 ** 3;
const objects = new Map();
let log = [];
/** Milliseconds that the server's clock is ahead. */
let ahead = 0;
let trouble = () => undefined;

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const url = new URL(request.url);
    const key = decodeURIComponent(url.pathname.slice(1));
    const header = (name) => request.headers.get(name);
    const date = new Date(Date.now() + ahead).toUTCString();
    const [, y, m, d, h, min, s] = /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(header("x-amz-date") ?? "20000101T000000Z");
    const wrong = Math.abs(Date.UTC(y, m - 1, d, h, min, s) - Date.now() - ahead) > 15 * 60_000;
    log.push(`${request.method} ${key}${url.search.replace(/=$/, "")}${wrong ? " too late or too early" : ""}`);
    if (wrong) return new Response("<Error><Code>RequestTimeTooSkewed</Code><Message>The clocks differ</Message></Error>", { status: 403, headers: { date } });
    const answer = trouble(request, url);
    if (answer !== undefined) return answer;
    const source = header("x-amz-copy-source");
    if (source !== null) {
      const signed = /SignedHeaders=([^,]+)/.exec(header("authorization"))[1].split(";");
      const amz = [...request.headers.keys()].filter((name) => name.startsWith("x-amz-copy") || name.startsWith("x-amz-metadata"));
      log.push(...amz.map((name) => `  ${name}: ${header(name)}${signed.includes(name) ? "" : " (not signed)"}`));
      if (header("content-type") !== null && header("x-amz-metadata-directive") !== null) log.push(`  content-type: ${header("content-type")}`);
      if (!url.searchParams.has("partNumber")) objects.set(key, { ...objects.get(decodeURIComponent(source.slice(1))) });
      return new Response(`<CopyObjectResult><ETag>&quot;copy ${url.searchParams.get("partNumber") ?? "whole"}&quot;</ETag></CopyObjectResult>`);
    }
    if (url.searchParams.has("uploads")) return new Response("<R><UploadId>up</UploadId></R>");
    if (url.searchParams.has("uploadId")) {
      if (request.method === "POST") log.push(`  ${(await request.text()).match(/<ETag>.*?<\/ETag>/g).length} parts`);
      else if (request.method === "PUT") for await (const _ of request.body);
      return new Response("", { headers: { etag: '"part"' } });
    }
    if (request.method === "PUT") {
      objects.set(key, { body: await request.text() });
      return new Response("");
    }
    const object = objects.get(key);
    if (object === undefined) return new Response(null, { status: 404 });
    return new Response(request.method === "HEAD" ? null : object.body, { headers: { "content-length": object.size ?? object.body.length, etag: '"tag"' } });
  },
});
const options = { accessKeyId: "id", secretAccessKey: "secret", bucket: "bucket", endpoint: `http://127.0.0.1:${server.port}`, retry: 0 };
const client = new S3Client(options);
const shown = () => {
  say(log);
  log = [];
};

// Copies: the bytes do not come here.
await client.write("a b/ü.txt", "hello");
log = [];
say(await client.write("to", client.file("a b/ü.txt")), objects.get("bucket/to").body);
shown();
say(await Bun.write(client.file("x.json"), client.file("to")), await client.write("y", client.file("to"), { contentDisposition: "inline" }));
shown();
// An object onto itself, which is described anew: by that name, and by its bucket's.
say(await client.file("to").write(client.file("to")), await client.write("to", new S3Client({ ...options, bucket: undefined }).file("bucket/to"), { type: "text/new" }));
shown();
say(await client.write("other", new S3Client({ ...options, bucket: "second" }).file("nothing")).catch(({ code }) => code));
shown();
// Parts, and objects of somebody else, come through here.
say(await client.write("part", client.file("to").slice(1, 3)).catch(({ code }) => code));
say(await client.write("mine", new S3Client({ ...options, accessKeyId: "you" }).file("to")), objects.get("bucket/mine").body);
shown();
trouble = (request) => (request.headers.has("x-amz-copy-source") ? new Response("<Error><Code>NotImplemented</Code></Error>", { status: 501 }) : undefined);
say(await client.write("streamed", client.file("to")), objects.get("bucket/streamed").body);
trouble = (request) => (request.headers.has("x-amz-copy-source") ? new Response("<Error><Code>InternalError</Code><Message>late</Message></Error>") : undefined);
say(await outcome(client.write("late", client.file("to"))));
trouble = (request) => (request.headers.has("x-amz-copy-source") ? new Response("<Error><Code>PreconditionFailed</Code><Message>it has changed</Message></Error>", { status: 412 }) : undefined);
say(await outcome(client.write("changed", client.file("to"))));
trouble = () => undefined;
log = [];
// What is larger than a request may copy goes in parts.
objects.set("bucket/huge", { body: "", size: 6 * GIB });
trouble = (request, url) => (request.method === "HEAD" && url.pathname === "/bucket/huge" ? new Response(null, { headers: { "content-length": String(6.5 * GIB), "content-type": "text/huge", etag: '"tag"' } }) : undefined);
say((await client.write("huge copy", client.file("huge"))) / GIB);
say(log.filter((line) => !line.includes("if-match") && !line.includes("x-amz-copy-source:")));
trouble = () => undefined;
log = [];

// A clock that is two hours late, and one that is a day ahead.
for (const difference of [2 * 3600_000, -24 * 3600_000]) {
  ahead = difference;
  say(await client.write("timed", "x"), await client.file("timed").text());
  shown();
}
const signed = new URL(client.presign("timed")).searchParams.get("X-Amz-Date");
say(Math.abs(Date.UTC(signed.slice(0, 4), signed.slice(4, 6) - 1, signed.slice(6, 8), signed.slice(9, 11), signed.slice(11, 13)) - Date.now() - ahead) < 120_000);
// A server that always says so is believed once.
trouble = () => new Response("<Error><Code>RequestTimeTooSkewed</Code><Message>never</Message></Error>", { status: 403, headers: { date: new Date(Date.now() + 3600_000).toUTCString() } });
say(await outcome(client.file("timed").text()));
shown();
server.stop(true);
