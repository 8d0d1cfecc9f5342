// expected: written by hand
// An upload in parts gives back what the start of the program has used of the executable: less of it is in memory at the end of the upload
// than at its beginning.
import { S3Client } from "bun";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import http from "node:http";

const MIB = 1 << 20;

if (process.argv[2] === "serve") {
  const answers = {
    POST: "<InitiateMultipartUploadResult><UploadId>up</UploadId></InitiateMultipartUploadResult>",
    PUT: "",
  };
  const server = http.createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      const isEnd = request.method === "POST" && !request.url.includes("uploads=");
      response.writeHead(200, { etag: '"part"' });
      response.end(isEnd ? "<CompleteMultipartUploadResult><ETag>whole</ETag></CompleteMultipartUploadResult>" : answers[request.method]);
    });
  });
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
} else {
  const server = spawn(process.execPath, [import.meta.filename, "serve"], { stdio: ["ignore", "pipe", "inherit"] });
  const port = await new Promise((done) => server.stdout.once("data", (text) => done(Number(text))));
  const options = { accessKeyId: "id", secretAccessKey: "secret", bucket: "bucket", endpoint: `http://127.0.0.1:${port}` };
  const resident = () => Number(/RssFile:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]);
  const writer = new S3Client(options).file("key").writer();
  const chunk = Buffer.alloc(MIB, 1);
  // What is used once: the start itself touches little.
  new Bun.Transpiler({ loader: "tsx" }).transformSync("const page: unknown = <p>{1}</p>;");
  Bun.markdown?.html("# one\n\n- two");
  const before = resident();
  for (let count = 0; count < 32; count++) await writer.write(chunk);
  console.log((await writer.end()) / MIB, resident() < before);
  server.kill();
}
