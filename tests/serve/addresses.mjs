// Where a server listens and what it says of it: paths of sockets as any value, names of several certificates, the same URL object each
// time. The kinds of errors are Bun's.
import { existsSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";

const path = `${tmpdir()}/bao-addresses-${process.pid}`;
const attempt = (name, options) => {
  try {
    const server = Bun.serve({ fetch: () => new Response("x"), ...options });
    console.log(name, `${server.url}`.replaceAll(path, "PATH").replace(/(?<=1|t):\d+|\d{2,}\/$/, ":port"), server.url === server.url, `${server.address}`.replaceAll(path, "PATH").replace(/^\0.*/, "NUL"), server.hostname);
    server.stop(true);
  } catch (error) {
    console.log(name, error.name, error.code, error.code === "ERR_INVALID_ARG_TYPE" ? error.message : /no such file|name too long/.exec(error.message)?.[0]);
  }
};
attempt("port", { port: 0, hostname: "127.0.0.1" });
attempt("path", { unix: path });
attempt("bytes", { unix: Buffer.from(path), hostname: Buffer.from("") });
attempt("object", { unix: { toString: () => path } });
attempt("abstract", { unix: `\0bao-addresses-${process.pid}` });
attempt("none", { unix: "", port: 0 });
attempt("no bytes", { unix: Buffer.from(""), port: 0 });
attempt("null", { unix: null, port: 0 });
attempt("both", { unix: path, hostname: "localhost" });
attempt("no folder", { unix: "/no-such-folder/x" });
attempt("too long", { unix: path.padEnd(200, "x") });
for (const tls of [1, "text", true, Symbol("s"), false, null]) attempt(`tls ${String(tls)}`, { tls, port: 0 });
const { cert, key } = (await import("../net/support/certificate.js")).default;
attempt("names", { port: 0, tls: [{ cert, key, serverName: "a" }, { cert, key }] });
attempt("first without", { port: 0, tls: [{ cert, key }, { cert, key, serverName: "a" }] });
if (existsSync(path)) unlinkSync(path);
