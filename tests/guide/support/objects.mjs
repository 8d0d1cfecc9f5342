// A server of S3's simplest requests, for the blocks of docs/guide/s3.md. Prints its port.
import http from "node:http";

const objects = new Map();
const server = http.createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://x");
  const body = Buffer.concat(await request.toArray());
  const object = objects.get(pathname);
  if (searchParams.has("list-type")) {
    const contents = [...objects].map(([path, { length }]) => `<Contents><Key>${path.split("/").slice(2).join("/")}</Key><Size>${length}</Size></Contents>`);
    return response.end(`<ListBucketResult>${contents.join("")}</ListBucketResult>`);
  }
  if (request.method === "PUT") objects.set(pathname, body);
  else if (request.method === "DELETE") objects.delete(pathname);
  else if (object === undefined) response.statusCode = 404;
  else {
    const [, from, to] = /bytes=(\d+)-(\d*)/.exec(request.headers.range) ?? [];
    const part = object.subarray(from ?? 0, to ? Number(to) + 1 : undefined);
    return response.setHeader("content-length", part.length).end(request.method === "HEAD" ? "" : part);
  }
  response.end();
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
