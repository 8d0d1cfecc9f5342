// expected: written by hand
// Servers that break MySQL's protocol: answers cut at every byte, written byte by byte, with lengths that lie, with bytes changed; packets
// nobody asked for; files asked for; silence. Nothing hangs, nothing is thrown past a query, and what is right is read right.
import { SQL } from "bun";
import { CAPS, column, error, greeting, int, lenenc, ok, packet, serve, text, USUAL, zero } from "./support/fake_mysql.mjs";

const users = { u: { password: "p" } };
const end = (sequence, status = 2) => ok(sequence, { header: 0xfe, status });
const eof = (sequence, status = 2) => packet(sequence, int(0xfe, 1), int(0, 2), int(status, 2));
const columns = (from) => [column(from, "id", 3), column(from + 1, "name", 0xfd), column(from + 2, "at", 12), column(from + 3, "big", 8), column(from + 4, "none", 0xfd)];
const when = Buffer.concat([int(11, 1), int(2024, 2), Buffer.from([2, 29, 13, 14, 15]), int(123456, 4)]);

const textRows = Buffer.concat([
  packet(1, int(5, 1)), ...columns(2),
  packet(7, text("1"), text("a"), text("2024-02-29 13:14:15.123456"), text("9007199254740993"), int(0xfb, 1)),
  packet(8, text("-2"), text("ü".repeat(200)), text("0000-00-00 00:00:00"), text("-5"), text("")), end(9),
]);
const prepared = Buffer.concat([packet(1, int(0, 1), int(9, 4), int(5, 2), int(0, 2), int(0, 1), int(0, 2)), ...columns(2)]);
const binaryRows = Buffer.concat([
  packet(1, int(5, 1)), ...columns(2),
  packet(7, int(0, 1), int(0x40, 1), int(1, 4), text("a"), when, int(0x20000000000000, 8), ),
  packet(8, int(0, 1), int(0, 1), int(0xfffffffe, 4), text("ü".repeat(200)), int(0, 1), int(7, 8), text("")), end(9),
]);

function answers({ query = textRows, prepare = prepared, execute = binaryRows }) {
  return (payload, send, socket) => {
    if (payload[0] === 3 && payload.toString().includes("time_zone")) return send(ok(1));
    if (payload[0] === 1) return socket.end();
    if (payload[0] === 3) send(query);
    if (payload[0] === 0x16) send(prepare);
    if (payload[0] === 0x17) send(execute);
  };
}

const client = (server, options) => new SQL({ adapter: "mysql", hostname: "127.0.0.1", port: server.port, username: "u", password: "p", database: "d", max: 1, connectionTimeout: 3, ...options });
const outcome = (promise) => promise.then((rows) => (rows.length === undefined ? rows : [...rows]), (error) => `${error.name} ${error.code}: ${error.message}`);

/** Runs both kinds of statement against a server that ends the connection after its answer. */
async function run(what, options = {}) {
  const answer = answers(what);
  const server = await serve({ users, ...options, answer: (payload, send, socket) => {
    answer(payload, (...all) => { send(...all); if (what.ends === true ? payload[0] !== 0x16 && !payload.toString().includes("time_zone") : payload[0] === what.ends) socket.end(); }, socket);
  } });
  const sql = client(server);
  const results = [];
  if (what.execute === undefined) results.push(await outcome(sql.unsafe("text").simple()));
  if (what.query === undefined) results.push(await outcome(sql`binary`));
  await sql.close({ timeout: 0 });
  server.close();
  return results;
}

// What is right, whole and byte by byte, with and without packets at the ends of definitions.
console.log(await run({}));
console.log(Bun.inspect(await run({}, { bytewise: true })) === Bun.inspect(await run({})));
{
  const capabilities = USUAL & ~CAPS.deprecateEof;
  const rows = [packet(7, int(0, 1), int(0x40, 1), int(1, 4), text("a"), when, int(8, 8))];
  const query = Buffer.concat([packet(1, int(5, 1)), ...columns(2), eof(7), packet(8, text("1"), text("a"), text("2024-02-29"), text("8"), int(0xfb, 1)), eof(9)]);
  const prepare = Buffer.concat([packet(1, int(0, 1), int(9, 4), int(5, 2), int(0, 2), int(0, 1), int(0, 2)), ...columns(2), eof(7)]);
  const execute = Buffer.concat([packet(1, int(5, 1)), ...columns(2), eof(7), ...rows, eof(8)]);
  console.log(await run({ query, prepare, execute: undefined }, { capabilities }));
  const server = await serve({ users, capabilities, answer: answers({ query, prepare, execute }) });
  const sql = client(server);
  console.log(await outcome(sql`binary`), await outcome(sql`binary`.values()), await outcome(sql.unsafe("text").simple().raw()));
  await sql.close();
  server.close();
}

// Cut at every byte: an error, never a part of the rows.
for (const [name, bytes] of [["query", textRows], ["execute", binaryRows], ["prepare", prepared]]) {
  const seen = new Map();
  for (let at = 0; at < bytes.length; at += name === "query" ? 7 : 5) {
    const what = name === "prepare" ? { prepare: bytes.subarray(0, at), execute: binaryRows, ends: 0x16 } : { [name]: bytes.subarray(0, at), ends: true };
    for (const result of await run(what)) {
      const line = typeof result === "string" ? result : `${result.length} rows`;
      seen.set(line, (seen.get(line) ?? 0) + 1);
    }
  }
  console.log("cut", name, [...seen.keys()]);
}

// Every byte changed: an error or other rows, and the next connection works.
{
  let isWrong = false;
  const kinds = new Set();
  for (const bytes of [textRows, binaryRows]) {
    for (let at = 0; at < bytes.length; at += 6) {
      for (const value of [0, 0xff, 0xfb, 0xfe]) {
        const changed = Buffer.from(bytes);
        changed[at] = value;
        for (const result of await run(bytes === textRows ? { query: changed, ends: true } : { execute: changed, ends: true })) {
          if (typeof result === "string") {
            const code = result.split(":")[0];
            kinds.add(code);
            if (!/^MySQLError ERR_MYSQL_/.test(code)) isWrong = code;
          } else if (!Array.isArray(result)) isWrong = result;
        }
      }
    }
  }
  console.log("changed", isWrong, [...kinds].sort());
}

// Lies, and what nobody asked for.
const one = (...payload) => packet(1, ...payload);
const lies = {
  "columns without number": one(int(0xfe, 1), Buffer.alloc(8, 0xff)),
  "too many columns": one(lenenc(70_000)),
  "a value longer than its packet": Buffer.concat([one(int(1, 1)), column(2, "a", 0xfd), packet(3, lenenc(1000), Buffer.from("abc")), end(4)]),
  "bytes behind the last value": Buffer.concat([one(int(1, 1)), column(2, "a", 0xfd), packet(3, text("abc"), text("more")), end(4)]),
  "a length that is none": Buffer.concat([one(int(2, 1)), column(2, "a", 0xfd), column(3, "b", 0xfd), packet(4, text("x"), int(0xff, 1), Buffer.from("abc"))]),
  "an unknown type": Buffer.concat([one(int(1, 1)), column(2, "a", 0x77), end(3)]),
  "a file of this machine": one(int(0xfb, 1), Buffer.from("/etc/passwd")),
  "an empty packet": one(),
  "an empty row": Buffer.concat([one(int(1, 1)), column(2, "a", 0xfd), packet(3)]),
  "an error while rows come": Buffer.concat([one(int(1, 1)), column(2, "a", 0xfd), packet(3, text("x")), error(4, 1317, "70100", "interrupted")]),
  "an error without a state": one(int(0xff, 1), int(1105, 2), Buffer.from("plain")),
  "an error without a number": one(int(0xff, 1)),
  "an OK packet cut short": one(int(0, 1)),
  "an OK packet without a status": one(int(0, 1), int(3, 1), int(4, 1)),
  "a prototype": Buffer.concat([one(int(2, 1)), column(2, "__proto__", 0xfd), column(3, "constructor", 0xfd), packet(4, text("x"), text("y")), end(5)]),
  "251 bytes": Buffer.concat([one(int(2, 1)), column(2, "a", 0xfd), column(3, "b", 0xfd), packet(4, text("x".repeat(251)), text("y")), end(5)]),
};
for (const [name, query] of Object.entries(lies)) console.log(name, "|", (await run({ query, ends: true }))[0]);
for (const [name, prepare] of [["a preparation that is none", one(int(5, 1), Buffer.alloc(11))], ["a preparation cut short", one(int(0, 1), int(1, 4))], ["an empty answer", one()]]) {
  const server = await serve({ users, answer: answers({ prepare }) });
  const sql = client(server);
  console.log(name, "|", await outcome(sql`binary`));
  await sql.close({ timeout: 0 });
  server.close();
}
{
  const server = await serve({ users, answer: (payload, send, socket) => (payload[0] === 3 ? send(ok(1), ok(1)) : undefined) });
  const sql = client(server);
  console.log("two answers |", await outcome(sql.unsafe("text").simple()));
  await sql.close({ timeout: 0 });
  server.close();
}

// Greetings.
const greetings = {
  "an old protocol": greeting({ version: 9 }),
  "no capabilities": greeting({ capabilities: 0 }),
  "a cut greeting": packet(0, int(10, 1), zero("8"), int(1, 4)),
  "an empty greeting": packet(0),
  "HTTP": Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n"),
  "too many connections": packet(0, int(0xff, 1), int(1040, 2), Buffer.from("Too many connections")),
  "blocked": error(0, 1129, "HY000", "Host is blocked"),
  "packets before TLS": Buffer.concat([greeting({ capabilities: USUAL | CAPS.ssl }), ok(2)]),
};
for (const [name, first] of Object.entries(greetings)) {
  const server = await serve({ users, first });
  const sql = client(server, { connectionTimeout: 0.3, tls: name.includes("TLS") ? { rejectUnauthorized: false } : undefined });
  console.log(name, "|", await outcome(sql.unsafe("text").simple()));
  await sql.close({ timeout: 0 });
  server.close();
}

// A message of more than one packet: both protocols; a value of 16 MiB and more.
{
  const size = 0xffffff + 10;
  const value = Buffer.alloc(size, "v");
  const row = Buffer.concat([lenenc(size), value, text("after")]);
  const long = Buffer.concat([packet(4, row.subarray(0, 0xffffff)), packet(5, row.subarray(0xffffff)), end(6)]);
  const [rows] = await run({ query: Buffer.concat([one(int(2, 1)), column(2, "a", 0xfd), column(3, "b", 0xfd), long]) });
  console.log("16 MiB", rows[0].a.length === size, rows[0].b);
}

// Deadlines: a server that is silent after the login, one that never answers the end.
{
  const server = await serve({ users, answer: () => {} });
  const sql = client(server, { connectionTimeout: 0.3 });
  console.log("silent |", await outcome(sql.unsafe("text").simple()));
  await sql.close({ timeout: 0 });
  server.close();
}
