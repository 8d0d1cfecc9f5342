// expected: written by hand. What `enableTrace` shows of a TLS 1.2 handshake, and that --trace-tls shows both sides.
import { spawnSync } from "node:child_process";
import { openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import tls from "node:tls";

if (process.argv[2] === undefined) {
  const run = (...words) => spawnSync(process.execPath, words, { encoding: "utf8" });
  const self = fileURLToPath(import.meta.url);
  const { stderr, status } = run(self, "client");
  console.log(status);
  const shown = stderr.split("\n").filter((line) => !/Length = /.test(line));
  console.log(shown.slice(0, 3).join("\n"));
  console.log(shown.filter((line) => /^(Sent|Received|    \w)/.test(line)).map((line) => line.replace(/Length=\d+/, "Length=N")).join("\n"));
  const both = run("--trace-tls", self, "plain");
  console.log(both.status, /can expose sensitive data/.test(both.stderr), both.stderr.split("ClientHello").length - 1);
  // A stream that takes nothing is not the program's concern.
  const full = openSync("/dev/full", "w");
  console.log(spawnSync(process.execPath, [self, "client"], { stdio: ["ignore", "ignore", full] }).status);
} else {
  const psk = Buffer.alloc(16, 7);
  const version = { ciphers: "PSK-AES128-CBC-SHA", maxVersion: "TLSv1.2" };
  const server = tls.createServer({ ...version, pskCallback: () => psk }, (socket) => socket.end()).listen(0, "127.0.0.1", () => {
    const client = tls.connect({
      ...version,
      host: "127.0.0.1",
      port: server.address().port,
      checkServerIdentity() {},
      enableTrace: process.argv[2] === "client",
      pskCallback: () => ({ identity: "x", psk }),
    });
    client.on("close", () => server.close());
    client.resume();
  });
}
