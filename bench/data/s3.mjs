// One object of S3, up in parts and down (bao, Bun): seconds of wall time and of CPU, and the most memory that the client has taken so far.
// S3_MIB is its size (1024). The server is this file in a process of its own (BENCH_SERVER names its executable): it keeps no bytes, and
// makes up those it gives.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

const MIB = 1024 * 1024;
const SIZE = Number(process.env.S3_MIB ?? 1024) * MIB;

if (process.argv[2] === "serve") {
  const http = await import("node:http");
  const chunk = Buffer.alloc(MIB, "0123456789abcdef");
  const server = http.createServer((request, response) => {
    const url = new URL(request.url, "http://host");
    const head = { "x-amz-request-id": "1" };
    request.on("data", () => {});
    request.on("end", () => {
      if (url.searchParams.has("uploads")) {
        response.writeHead(200, { ...head, "content-type": "application/xml" });
        return response.end('<?xml version="1.0" encoding="UTF-8"?><InitiateMultipartUploadResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Bucket>bucket</Bucket><Key>key</Key><UploadId>up</UploadId></InitiateMultipartUploadResult>');
      }
      if (request.method === "POST") {
        response.writeHead(200, { ...head, "content-type": "application/xml" });
        return response.end('<?xml version="1.0" encoding="UTF-8"?><CompleteMultipartUploadResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><ETag>"whole"</ETag></CompleteMultipartUploadResult>');
      }
      if (request.method === "PUT") {
        response.writeHead(200, { ...head, etag: '"part"', "content-length": 0 });
        return response.end();
      }
      response.writeHead(200, { ...head, etag: '"whole"', "content-length": SIZE, "content-type": "application/octet-stream" });
      if (request.method === "HEAD") return response.end();
      let left = SIZE / MIB;
      const more = () => {
        while (left > 0) if ((left--, !response.write(chunk))) return response.once("drain", more);
        response.end();
      };
      more();
    });
  });
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
} else {
  // Not above: the server may be Node.
  const { S3Client } = await import("bun");
  const server = spawn(process.env.BENCH_SERVER ?? process.execPath, [import.meta.filename, "serve"], { stdio: ["ignore", "pipe", "inherit"] });
  const port = await new Promise((done) => server.stdout.once("data", (text) => done(Number(text))));
  const client = new S3Client({ accessKeyId: "id", secretAccessKey: "secret", bucket: "bucket", region: "us-east-1", endpoint: `http://127.0.0.1:${port}` });
  const peak = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]) / 1024;
  const measure = async (name, run) => {
    const cpu = process.cpuUsage();
    const begun = performance.now();
    const bytes = await run();
    const { user, system } = process.cpuUsage(cpu);
    const wall = (performance.now() - begun) / 1000;
    console.log(`${name.padEnd(8)} ${(bytes / MIB).toFixed(0).padStart(6)} MiB ${wall.toFixed(2).padStart(7)} s ${((user + system) / 1e6).toFixed(2).padStart(7)} s CPU, peak ${peak().toFixed(0)} MiB`);
  };
  await measure("up", async () => {
    const writer = client.file("key").writer();
    const chunk = Buffer.alloc(MIB, 1);
    for (let left = SIZE / MIB; left > 0; left--) await writer.write(chunk);
    return writer.end();
  });
  await measure("down", async () => {
    let bytes = 0;
    for await (const chunk of client.file("key").stream()) bytes += chunk.length;
    return bytes;
  });
  server.kill();
}
