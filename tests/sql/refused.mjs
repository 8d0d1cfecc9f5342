// expected: recorded from bun 1.4.5
// A server that refuses every connection is asked by as many as the pool may have, and all queries are rejected: none is tried again and again.
import { SQL } from "bun";
import net from "node:net";

/** An ErrorResponse of PostgreSQL: fields of a letter and a text each. */
function refusal(fields) {
  const body = Buffer.from(`${Object.entries(fields).map(([letter, text]) => `${letter}${text}\0`).join("")}\0`);
  const head = Buffer.alloc(5);
  head.write("E");
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

for (const fields of [{}, { S: "FATAL", C: "28P01", M: 'password authentication failed for user "a"' }, { S: "FATAL", C: "53300", M: "sorry, too many clients already" }]) {
  let connections = 0;
  const server = net.createServer((socket) => {
    connections++;
    socket.on("error", () => {});
    socket.once("data", () => socket.end(refusal(fields)));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const sql = new SQL({ url: `postgres://a@127.0.0.1:${server.address().port}/b`, max: 4 });
  const codes = await Promise.all(Array.from({ length: 12 }, (_, i) => sql`select ${i}`.then(() => "answered", (error) => `${error.code} ${error.errno}`)));
  console.log(JSON.stringify(fields), codes.length, [...new Set(codes)].join(), connections <= 4);
  // The next query begins anew.
  const before = connections;
  console.log(await sql`select 1`.then(() => "answered", (error) => error.code), connections > before);
  await sql.close();
  server.close();
}
