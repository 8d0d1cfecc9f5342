// expected: written by hand
// RedisClient over TLS: certificates that are refused, an authority that is known, a name that is another's, and a server that ends.
import { RedisClient } from "bun";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { freePort, outcome, startRedis, until } from "./support/server.mjs";

const out = new URL("./tls.out", import.meta.url);
const skip = (why) => {
  console.error(`skipped: ${why}`);
  process.stdout.write(readFileSync(out));
  process.exit(0);
};
const folder = mkdtempSync(path.join(os.tmpdir(), "bao-redis-tls-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const certificate = (name) => {
  const [key, cert] = [path.join(folder, `${name}.key`), path.join(folder, `${name}.crt`)];
  execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", cert, "-days", "3", "-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`], { stdio: "ignore" });
  return { key, cert, ca: readFileSync(cert, "utf8") };
};
let own, other;
try {
  [own, other] = [certificate("localhost"), certificate("elsewhere.test")];
} catch {
  skip("openssl is not installed, which makes the certificates");
}
const port = await freePort();
const server = await startRedis(out, ["--tls-port", port, "--tls-cert-file", own.cert, "--tls-key-file", own.key, "--tls-ca-cert-file", own.cert, "--tls-auth-clients", "no"]);

const say = (...what) => console.log(...what);
const ask = async (url, options) => {
  const client = new RedisClient(url, { autoReconnect: false, connectionTimeout: 5000, ...options });
  const said = await outcome(client.ping());
  client.close();
  return said;
};
const url = `rediss://localhost:${port}`;
say("no authority", await ask(url));
say("its authority", await ask(url, { tls: { ca: own.ca } }));
say("another authority", await ask(url, { tls: { ca: other.ca } }));
say("unchecked", await ask(url, { tls: { rejectUnauthorized: false } }));
say("another name", await ask(`rediss://127.0.0.1:${port}`, { tls: { ca: own.ca } }));
say("another name that is meant", await ask(`rediss://127.0.0.1:${port}`, { tls: { ca: own.ca, servername: "localhost" } }));
say("TLS to a port without", await ask(`rediss://localhost:${server.port}`, { tls: { rejectUnauthorized: false } }).then((text) => (text === "PONG" ? text : "refused")));
say("a port with TLS without it", await ask(`redis://localhost:${port}`).then((text) => (text === "PONG" ? text : "refused")));

// What is large goes both ways, and the client connects again by itself.
const client = new RedisClient(url, { tls: { ca: own.ca } });
const large = "x".repeat(3_000_000);
say(await client.set("large", large), (await client.get("large")) === large);
await server.stop();
await server.start();
say(await until(() => client.ping().catch(() => undefined)));
client.close();
process.exit();
