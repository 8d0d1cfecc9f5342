// The back end of bench.py: answers GET / with 100 users as JSON. Each row becomes an object of a class, its date an ISO string and
// one field is enciphered, as in nDmitry/web-benchmarks.
//
// server.mjs KIND PORT: KIND is `node` (node:http) or `bun` (Bun.serve). DATABASE_URL: where the users are (without one they are
// in the program); DATABASE_CLIENT: the package that reads them, `pg` or `postgres`; PROCESSES: how many processes listen to the port.
import cluster from "node:cluster";
import { createServer } from "node:http";

const [kind, port] = [process.argv[2], Number(process.argv[3])];
const processes = Number(process.env.PROCESSES ?? 1);

class User {
  constructor(row) {
    this.id = row.id;
    this.username = row.username;
    this.name = row.name;
    this.sex = row.sex;
    this.address = row.address;
    this.mail = row.mail;
    this.birthdate = row.birthdate.toISOString();
  }
}

function cipher(text, by = 14) {
  let out = "";
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 65 && code <= 90) out += String.fromCharCode(((code - 65 + by) % 26) + 65);
    else if (code >= 97 && code <= 122) out += String.fromCharCode(((code - 97 + by) % 26) + 97);
    else out += text[at];
  }
  return out;
}

async function source() {
  if (process.env.DATABASE_URL) {
    if (process.env.DATABASE_CLIENT === "pg") {
      const { default: pg } = await import("pg");
      const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
      return async () => (await pool.query('SELECT * FROM "user" LIMIT 100')).rows;
    }
    const { default: postgres } = await import("postgres");
    const sql = postgres(process.env.DATABASE_URL, { max: 10 });
    return () => sql`SELECT * FROM "user" LIMIT 100`;
  }
  const rows = Array.from({ length: 100 }, (_, id) => ({
    id, username: `user${id}`, name: `Name ${id} Of Somebody`, sex: id % 2 ? "F" : "M", address: `${id} Some Street\nSome Town, XY 12345`,
    mail: `user${id}@example.com`, birthdate: new Date(86400000 * id * 99),
  }));
  return () => rows;
}

async function answer(rows) {
  const users = (await rows()).map((row) => new User(row));
  for (const user of users) user.address = cipher(user.address);
  return JSON.stringify(users);
}

async function serve() {
  const rows = await source();
  if (kind === "bun") {
    Bun.serve({
      port, hostname: "127.0.0.1", reusePort: processes > 1,
      async fetch() {
        return new Response(await answer(rows), { headers: { "Content-Type": "application/json" } });
      },
    });
    return;
  }
  createServer(async (request, response) => {
    try {
      const text = await answer(rows);
      response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) });
      response.end(text);
    } catch (error) {
      response.writeHead(500);
      response.end(String(error));
    }
  }).listen(port, "127.0.0.1");
}

if (processes > 1 && cluster.isPrimary) for (let n = 0; n < processes; n++) cluster.fork();
else await serve();
