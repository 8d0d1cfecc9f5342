// A MySQL server made of node:net: the server's side of the connection phase from the public description of the protocol, and answers
// that a test writes packet by packet.
import crypto from "node:crypto";
import net from "node:net";
import tls from "node:tls";

export const CAPS = {
  longPassword: 1, foundRows: 2, connectWithDb: 8, protocol41: 1 << 9, ssl: 1 << 11, transactions: 1 << 13, secure: 1 << 15, multiStatements: 1 << 16,
  multiResults: 1 << 17, psMultiResults: 1 << 18, pluginAuth: 1 << 19, attributes: 1 << 20, lenencAuth: 1 << 21, deprecateEof: 1 << 24,
};
export const USUAL = Object.entries(CAPS).reduce((sum, [name, bit]) => (name === "ssl" ? sum : sum | bit), 0);

export const int = (value, size) => {
  const bytes = Buffer.alloc(size);
  for (let i = 0; i < size; i++) bytes[i] = Math.floor(value / 256 ** i) & 0xff;
  return bytes;
};
export const lenenc = (value) =>
  value < 251 ? int(value, 1) : value < 65536 ? Buffer.concat([int(0xfc, 1), int(value, 2)]) : value < 2 ** 24 ? Buffer.concat([int(0xfd, 1), int(value, 3)]) : Buffer.concat([int(0xfe, 1), int(value, 8)]);
export const text = (value) => {
  const bytes = Buffer.from(value);
  return Buffer.concat([lenenc(bytes.length), bytes]);
};
export const zero = (value) => Buffer.from(`${value}\0`);
export function packet(sequence, ...parts) {
  const payload = Buffer.concat(parts);
  return Buffer.concat([int(payload.length, 3), int(sequence, 1), payload]);
}
export const ok = (sequence, { header = 0, affected = 0, id = 0, status = 2 } = {}) =>
  packet(sequence, int(header, 1), lenenc(affected), lenenc(id), int(status, 2), int(0, 2));
export const error = (sequence, errno, state, message) => packet(sequence, int(0xff, 1), int(errno, 2), Buffer.from(`#${state}${message}`));
export const column = (sequence, name, type, { charset = 45, flags = 0, length = 100, decimals = 0 } = {}) =>
  packet(sequence, text("def"), text(""), text("t"), text("t"), text(name), text(name), int(12, 1), int(charset, 2), int(length, 4), int(type, 1), int(flags, 2), int(decimals, 1), int(0, 2));

/** Packets cut out of a stream of bytes: calls `each(sequence, payload, rest)`, which takes the rest itself if it gives true. */
export function packets(each) {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 4) {
      const length = rest.readUIntLE(0, 3);
      if (rest.length < 4 + length) return;
      const [sequence, payload] = [rest[3], rest.subarray(4, 4 + length)];
      rest = rest.subarray(4 + length);
      if (each(sequence, payload, rest) === true) return;
    }
  };
}

export const NONCE = Buffer.from("0123456789abcdefghij");

export function greeting({ capabilities = USUAL, plugin = "mysql_native_password", nonce = NONCE, version = 10 } = {}) {
  const second = Buffer.alloc(13);
  nonce.copy(second, 0, 8, 20);
  return packet(
    0, int(version, 1), zero("8.0.99-fake"), int(7, 4), nonce.subarray(0, 8), int(0, 1), int(capabilities & 0xffff, 2), int(45, 1), int(2, 2),
    int(capabilities >>> 16, 2), int(21, 1), Buffer.alloc(10), second, zero(plugin),
  );
}

/** What a client answered to the greeting. */
export function login(payload) {
  let at = 32;
  const zeroText = () => {
    const end = payload.indexOf(0, at);
    const value = payload.subarray(at, end).toString();
    at = end + 1;
    return value;
  };
  const capabilities = payload.readUInt32LE(0);
  const user = zeroText();
  const length = payload[at++];
  const proof = payload.subarray(at, (at += length));
  const database = capabilities & CAPS.connectWithDb ? zeroText() : "";
  return { capabilities, user, proof, database, plugin: zeroText() };
}

const digest = (name, ...parts) => parts.reduce((hash, part) => hash.update(part), crypto.createHash(name)).digest();
const xor = (a, b) => Buffer.from(a.map((byte, i) => byte ^ b[i % b.length]));
export const { publicKey, privateKey } = crypto.generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = publicKey.export({ type: "spki", format: "pem" });
const decrypted = (bytes, nonce) => xor(crypto.privateDecrypt({ key: privateKey, padding: crypto.constants.RSA_PKCS1_OAEP_PADDING }, bytes), nonce).toString();

/** Each checks as the server does with what it keeps of the password. They get `ask(bytes)`, which sends a packet and gives the answer. */
export const checks = {
  async mysql_native_password({ password, nonce, proof }) {
    if (password === "") return proof.length === 0;
    const stored = digest("sha1", digest("sha1", password));
    if (proof.length !== 20) return false;
    return digest("sha1", xor(proof, digest("sha1", nonce, stored))).equals(stored);
  },
  async caching_sha2_password({ password, nonce, proof, ask, send, remembers, isTls, isUnix, log }) {
    if (password === "") return proof.length === 0 || (proof.length === 1 && proof[0] === 0);
    const stored = digest("sha256", digest("sha256", password));
    if (remembers) {
      const isRight = proof.length === 32 && digest("sha256", xor(proof, digest("sha256", stored, nonce))).equals(stored);
      if (isRight) send(Buffer.from([1, 3]));
      log("fast");
      return isRight;
    }
    let answer = await ask(Buffer.from([1, 4]));
    if (isTls || isUnix) {
      log("clear text");
      return answer.toString() === `${password}\0`;
    }
    if (answer.length !== 1 || answer[0] !== 2) return false;
    answer = await ask(Buffer.concat([Buffer.from([1]), Buffer.from(pem)]));
    log("encrypted");
    return decrypted(answer, nonce) === `${password}\0`;
  },
  async sha256_password({ password, nonce, proof, ask, isTls, log }) {
    if (password === "") return proof.length === 1 && proof[0] === 0;
    if (isTls) {
      log("clear text");
      return proof.toString() === `${password}\0`;
    }
    if (proof.length !== 1 || proof[0] !== 1) return false;
    const answer = await ask(Buffer.concat([Buffer.from([1]), Buffer.from(pem)]));
    log("encrypted");
    return decrypted(answer, nonce) === `${password}\0`;
  },
  async mysql_clear_password({ password, proof }) {
    return proof.toString() === `${password}\0`;
  },
  async client_ed25519({ password, nonce, proof }) {
    // A password of 32 bytes is the seed of a key as RFC 8032 has it.
    const seed = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), Buffer.from(password)]);
    const key = crypto.createPublicKey(crypto.createPrivateKey({ key: seed, format: "der", type: "pkcs8" }));
    return proof.length === 64 && crypto.verify(null, nonce, key, proof);
  },
};

/**
 * Serves. `users` gives `{ password, plugin, remembers }` by name, `plugin` is what the greeting names, `answer(payload, send)` answers
 * commands: `send(...packets)` writes them. `secure` are a key and a certificate for TLS.
 */
export async function serve({ users = {}, plugin = "mysql_native_password", answer = () => {}, secure, path, capabilities = USUAL, bytewise = false, nonce = NONCE, first } = {}) {
  const sockets = new Set();
  const log = [];
  const server = net.createServer((plain) => {
    sockets.add(plain);
    plain.on("close", () => sockets.delete(plain));
    plain.on("error", () => {});
    let socket = plain;
    let isTls = false;
    const write = (bytes) => {
      if (!bytewise) return socket.write(bytes);
      for (const byte of bytes) socket.write(Buffer.from([byte]));
    };
    let waiting;
    let state = "greeted";
    const each = (sequence, payload, rest) => {
      if (waiting !== undefined) {
        const resolve = waiting;
        waiting = undefined;
        return void resolve([sequence, payload]);
      }
      if (state === "open") return void answer(payload, (...all) => write(Buffer.concat(all)), plain);
      if (secure && !isTls && payload.length === 32) {
        isTls = true;
        plain.removeListener("data", read);
        // The client begins TLS without waiting.
        plain.pause();
        if (rest.length > 0) plain.unshift(rest);
        socket = new tls.TLSSocket(plain, { isServer: true, secureContext: tls.createSecureContext(secure) });
        socket.on("data", packets(each));
        socket.on("error", () => {});
        return true;
      }
      state = "authenticating";
      authenticate(sequence, login(payload)).catch((error) => log.push(String(error)));
    };
    const authenticate = async (from, { user, proof: given, plugin: named, database }) => {
      let sequence = from;
      let proof = given;
      const send = (payload) => write(packet((sequence + 1) & 0xff, payload));
      const ask = async (payload) => {
        const answered = new Promise((resolve) => (waiting = resolve));
        send(payload);
        const [next, reply] = await answered;
        sequence = next;
        return reply;
      };
      const { password, plugin: own = plugin, remembers = true } = users[user] ?? {};
      let data = nonce;
      if (own !== named) {
        data = Buffer.from(own === "client_ed25519" ? "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345" : "JIHGFEDCBA9876543210");
        const tail = own === "client_ed25519" ? Buffer.alloc(0) : Buffer.alloc(1);
        proof = await ask(Buffer.concat([Buffer.from([0xfe]), zero(own), data, tail]));
      }
      const isRight = password !== undefined && (await checks[own]({ password, nonce: data, proof, ask, isTls, isUnix: path !== undefined, remembers, log: (how) => log.push(how),
        send: (payload) => { send(payload); sequence++; } }));
      if (!isRight) return write(error((sequence + 1) & 0xff, 1045, "28000", `Access denied for user '${user}'@'fake' (using password: ${password === "" ? "NO" : "YES"})`));
      log.push(`${user} ${database}`);
      state = "open";
      write(ok((sequence + 1) & 0xff));
    };
    const read = packets(each);
    plain.on("data", read);
    write(first ?? greeting({ capabilities: secure ? capabilities | CAPS.ssl : capabilities, plugin, nonce }));
  });
  await new Promise((done) => (path === undefined ? server.listen(0, "127.0.0.1", done) : server.listen(path, done)));
  return {
    log,
    port: path === undefined ? server.address().port : undefined,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
