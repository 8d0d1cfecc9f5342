// The clients that are measured: Bun's own (bao, Bun), or the package of npm that CLIENT names, from $PEERS_DIR/node_modules (Node).
import { createRequire } from "node:module";
import { join } from "node:path";

const packaged = process.env.CLIENT;

/** A package of $PEERS_DIR. */
export function load(name) {
  if (process.env.PEERS_DIR === undefined) throw new Error(`PEERS_DIR names the folder with node_modules/${name}`);
  return createRequire(join(process.env.PEERS_DIR, "here.js"))(name);
}

/** Makes a tag of templates out of `query(text, values, name)`; `place(n)` is what stands for the n-th value, `name` one for each template. */
function tag(query, place) {
  const known = new Map();
  return (strings, ...values) => {
    let one = known.get(strings);
    if (one === undefined) {
      one = { name: `bench${known.size}`, text: strings.reduce((text, part, n) => text + place(n) + part) };
      known.set(strings, one);
    }
    return query(one.text, values, one.name);
  };
}

/** A pool of `max` connections: `sql` is a tag of templates that gives rows, `close` ends it. */
export async function pool(url, max) {
  if (packaged === "pg") {
    const { Pool } = load("pg");
    const one = new Pool({ connectionString: url, max });
    const query = async (text, values, name) => (await one.query(values.length === 0 ? { text } : { name, text, values })).rows;
    return { sql: tag(query, (n) => `$${n}`), close: () => one.end() };
  }
  if (packaged === "postgres") {
    const sql = load("postgres")(url, { max, onnotice() {} });
    return { sql, close: () => sql.end() };
  }
  if (packaged === "mysql2") {
    const one = load("mysql2/promise").createPool({ uri: url, connectionLimit: max });
    const query = async (text, values) => (await one.execute(text, values))[0];
    return { sql: tag(query, () => "?"), close: () => one.end() };
  }
  const { SQL } = await import("bun");
  const sql = new SQL({ url, max });
  await sql.connect();
  return { sql, close: () => sql.close() };
}

/** A connected client of Redis with `get`, `set` and `close`. */
export async function redis(url) {
  if (packaged === "ioredis") {
    const client = new (load("ioredis"))(url, { lazyConnect: true });
    await client.connect();
    return Object.assign(client, { close: () => client.disconnect() });
  }
  const { RedisClient } = await import("bun");
  const client = new RedisClient(url);
  await client.connect();
  return client;
}
