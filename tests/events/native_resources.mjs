// expected: recorded from node 25.9.0
// Callbacks of native code are those of resources of async_hooks, with Node's types: what the hooks hear of each.
import { createHook, executionAsyncId } from "node:async_hooks";
import * as crypto from "node:crypto";
import * as dns from "node:dns";
import fs from "node:fs";

// In Node each of these is a resource, too.
const { privateKey, publicKey } = crypto.generateKeyPairSync("ec", { namedCurve: "P-256" });
const types = new Map();
let heard = [];
createHook({
  init(id, type) {
    if (!/REQUEST|REQWRAP|QUERYWRAP|FSREQ/.test(type)) return;
    types.set(id, type);
    heard.push(`init ${type}`);
  },
  before: (id) => types.has(id) && heard.push("before"),
  after: (id) => types.has(id) && heard.push("after"),
  destroy: (id) => types.has(id) && heard.push("destroy"),
}).enable();

async function show(name, start) {
  heard = [];
  const type = await new Promise((resolve) => start(() => resolve(types.get(executionAsyncId()))));
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
  console.log(name, type, heard.join(", "));
}

const argon2 = { message: "a", nonce: "12345678", parallelism: 1, tagLength: 8, memory: 8, passes: 1 };
const data = Buffer.from("data");
await show("pbkdf2", (done) => crypto.pbkdf2("a", "b", 1, 8, "sha1", done));
await show("scrypt", (done) => crypto.scrypt("a", "b", 8, done));
await show("hkdf", (done) => crypto.hkdf("sha1", "a", "b", "c", 8, done));
await show("argon2", (done) => crypto.argon2("argon2id", argon2, done));
await show("generatePrime", (done) => crypto.generatePrime(32, done));
await show("checkPrime", (done) => crypto.checkPrime(7n, done));
await show("generateKeyPair", (done) => crypto.generateKeyPair("ec", { namedCurve: "P-256" }, done));
await show("generateKey", (done) => crypto.generateKey("hmac", { length: 64 }, done));
await show("sign", (done) => crypto.sign("sha256", data, privateKey, done));
await show("verify", (done) => crypto.verify("sha256", data, publicKey, Buffer.alloc(8), done));
await show("diffieHellman", (done) => crypto.diffieHellman({ privateKey, publicKey }, done));
await show("randomBytes", (done) => crypto.randomBytes(8, done));
await show("lookup", (done) => dns.lookup("localhost", done));
await show("lookupService", (done) => dns.lookupService("127.0.0.1", 80, done));
const resolver = new dns.Resolver();
resolver.setServers(["127.0.0.1:1"]);
await show("resolve", (done) => resolver.resolve("example.com", done));
await show("stat", (done) => fs.stat("/", done));
