// expected: written by hand
// Bun.SQL against servers of this file's own: answers split anywhere, messages that contradict themselves, servers that go silent.
import { SQL } from "bun";
import net from "node:net";

const say = (...what) => console.log(...what);
const outcome = (promise) => Promise.resolve(promise).then((value) => value, (error) => `${error.name} ${error.code ?? ""} ${error.errno ?? ""}: ${error.message}`);

const int32 = (value) => { const bytes = Buffer.alloc(4); bytes.writeInt32BE(value); return bytes; };
const int16 = (value) => { const bytes = Buffer.alloc(2); bytes.writeUInt16BE(value & 0xffff); return bytes; };
const message = (kind, ...parts) => { const body = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part))); return Buffer.concat([Buffer.from(kind), int32(body.length + 4), body]); };
const column = (name, type, format = 0) => [`${name}\0`, int32(0), int16(0), int32(type), int16(4), int32(-1), int16(format)];
const rowDescription = (...columns) => message("T", int16(columns.length), ...columns.flatMap((each) => column(...each)));
const row = (...values) => message("D", int16(values.length), ...values.flatMap((value) => (value === null ? [int32(-1)] : [int32(Buffer.byteLength(value)), value])));
const hello = Buffer.concat([message("R", int32(0)), message("S", "server_version\x0015.0\0"), message("K", int32(7), int32(9)), message("Z", "I")]);
const ready = message("Z", "I");
const before = Buffer.concat([message("1"), message("t", int16(0))]);

/** A server that answers the start with `greeting` and every Sync or Query with `answer`. */
async function serve(answer, { greeting = hello, bytewise = false, closes = false } = {}) {
  const sockets = new Set();
  const write = async (socket, bytes) => {
    if (!bytewise) return socket.write(bytes);
    for (const byte of bytes) {
      socket.write(Buffer.from([byte]));
      await new Promise((done) => setImmediate(done));
    }
  };
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.setNoDelay(true);
    let rest = Buffer.alloc(0);
    let isStarted = false;
    socket.on("data", (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      for (;;) {
        const header = isStarted ? 1 : 0;
        if (rest.length < header + 4) return;
        const size = rest.readInt32BE(header) + header;
        if (rest.length < size) return;
        const kind = isStarted ? String.fromCharCode(rest[0]) : "";
        rest = rest.subarray(size);
        if (!isStarted) {
          isStarted = true;
          write(socket, greeting);
        } else if (kind === "S" || kind === "Q") {
          write(socket, typeof answer === "function" ? answer() : answer);
          if (closes) socket.end();
        }
      }
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    options: { adapter: "postgres", hostname: "127.0.0.1", port: server.address().port, username: "u", max: 1 },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

async function ask(name, answer, settings, query = (sql) => sql`select 1`) {
  const server = await serve(answer, settings);
  const sql = new SQL({ ...server.options, connectionTimeout: 2 });
  const late = setTimeout(() => server.close(), 1500);
  say(name.padEnd(28), await outcome(query(sql).then((result) => [...result])));
  clearTimeout(late);
  await sql.close({ timeout: 0 });
  server.close();
}

const good = Buffer.concat([before, rowDescription(["a", 23], ["b", 25], ["c", 3802]), message("2"), row("42", "h\u00e9llo", '{"x":[1]}'), row(null, "", "null"), message("C", "SELECT 2\0"), ready]);
await ask("good", good);
await ask("byte by byte", good, { bytewise: true });
const answers = {
  "length too small": message("1").fill(0, 1), "length negative": Buffer.from([68, 255, 255, 255, 255]), "length huge": Buffer.from([68, 0x7f, 255, 255, 255]),
  "unknown message": message("?"), "row without columns": Buffer.concat([row("1"), message("C", "SELECT 1\0"), ready]),
  "row with more values": Buffer.concat([before, rowDescription(["a", 23]), message("2"), row("1", "2"), message("C", "SELECT 1\0"), ready]),
  "value longer than its row": Buffer.concat([before, rowDescription(["a", 23]), message("D", int16(1), int32(100), "1"), message("C", "SELECT 1\0"), ready]),
  "value of negative length": Buffer.concat([before, rowDescription(["a", 23]), message("D", int16(1), int32(-2), "1"), message("C", "SELECT 1\0"), ready]),
  "column name without end": Buffer.concat([before, message("T", int16(1), "abc"), ready]), "column cut off": Buffer.concat([before, message("T", int16(9), ...column("a", 23)), ready]),
  "letters for an integer": Buffer.concat([before, rowDescription(["a", 23]), row("x1"), message("C", "SELECT 1\0"), ready]),
  "bytes for a time": Buffer.concat([before, rowDescription(["a", 1114, 1]), row("abc"), message("C", "SELECT 1\0"), ready]),
  "json that is none": Buffer.concat([before, rowDescription(["a", 114]), row("{"), message("C", "SELECT 1\0"), ready]),
  "array that does not end": Buffer.concat([before, rowDescription(["a", 1007]), row("{1,{2"), message("C", "SELECT 1\0"), ready]),
  "array that is too deep": Buffer.concat([before, rowDescription(["a", 1007]), row("{".repeat(100_000)), message("C", "SELECT 1\0"), ready]),
  "error without fields": Buffer.concat([message("E", "\0"), ready]), "error that does not end": Buffer.concat([message("E", "Mabc"), ready]),
  "asks for a password": message("R", int32(3)), "copy in": Buffer.concat([before, message("G", "\0", int16(0))]),
  "fatal error": message("E", "SFATAL\0C57P01\0Mgoing down\0\0"), "silent end": Buffer.alloc(0),
};
for (const [name, answer] of Object.entries(answers)) await ask(name, answer, { closes: name === "fatal error" || name === "silent end" });
const greetings = {
  nothing: [Buffer.alloc(0)], "not PostgreSQL": ["HTTP/1.1 400 Bad Request\r\n\r\n"], "unknown authentication": [message("R", int32(99))], "refused": [message("E", "SFATAL\0C28P01\0Mno\0\0")],
  "SASL without a mechanism": [message("R", int32(10), "OTHER\0\0")], "SASL continues": [message("R", int32(11), "r=x,s=x,i=1")], "SASL without a number": [message("R", int32(10), "SCRAM-SHA-256\0\0"), message("R", int32(11), "r=,s=,i=0")],
  "a large message": [Buffer.from([82, 0x7f, 0, 0, 0])],
};
for (const [name, greeting] of Object.entries(greetings)) await ask(name, good, { greeting: Buffer.concat(greeting.map((part) => Buffer.from(part))) });

// A good answer with some of its bytes changed: every query ends, and the process lives.
let seed = 7;
const random = (limit) => { seed = (Math.imul(seed, 1103515245) + 12345) >>> 0; return Math.floor((seed / 2 ** 32) * limit); };
const server = await serve(() => {
  const bytes = Buffer.from(good);
  for (let i = random(4); i >= 0; i--) bytes[random(bytes.length)] = random(256);
  return bytes.subarray(0, random(8) === 0 ? random(bytes.length) : bytes.length);
});
let ended = 0;
for (let i = 0; i < 400; i++) {
  const sql = new SQL(server.options);
  const query = sql`select 1`.then(() => ended++, () => ended++);
  await Promise.race([query, Bun.sleep(20)]);
  await sql.close({ timeout: 0 });
  await query;
}
say("fuzzed", ended);
server.close();
