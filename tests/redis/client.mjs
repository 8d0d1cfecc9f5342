// RedisClient against a server of this file's own: replies of every kind, split anywhere; subscriptions, transactions, connections that
// are lost, hostile replies.
import { RedisClient } from "bun";
import { HELLO, outcome, serve } from "./support/fake.mjs";

const say = (...what) => console.log(...what);
// Replies.
const replies = {
  string: "+OK\r\n", bulk: "$5\r\nh\u00e9llo".replace("$5", "$6") + "\r\n", empty: "$0\r\n\r\n", none: "$-1\r\n", null: "_\r\n", integer: ":-42\r\n",
  double: ",1.5\r\n", infinite: ",-inf\r\n", true: "#t\r\n", big: "(12345678901234567890123\r\n", small: "(12\r\n", verbatim: "=8\r\ntxt:text\r\n",
  array: "*3\r\n:1\r\n*2\r\n$1\r\na\r\n_\r\n*0\r\n", noArray: "*-1\r\n", set: "~2\r\n+a\r\n+b\r\n", map: "%1\r\n+k\r\n*1\r\n%1\r\n:1\r\n#f\r\n",
  attribute: "|1\r\n+ttl\r\n:3\r\n:7\r\n", error: "-ERR no such thing\r\n", blobError: "!9\r\nERR wrong\r\n", nested: "*2\r\n-ERR inside\r\n:1\r\n",
  crlf: "$4\r\na\r\nb\r\n",
};
for (const bytewise of [false, true]) {
  const server = await serve(([, name]) => replies[name], { bytewise });
  const client = new RedisClient(server.url);
  say(client.connected, await client.connect().then(({ server }) => server), client.connected);
  const all = await Promise.all(Object.keys(replies).map((name) => outcome(client.get(name))));
  say(all);
  say(await client.getBuffer("bulk"), await client.getBuffer("none"));
  client.close();
  server.close();
}

// What is sent.
{
  const server = await serve((words) => `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`);
  const client = new RedisClient(server.url);
  say(await client.set("k\u00e9y", 1.5, "EX", 10), await client.set("k", new Uint8Array([104, 105])), await client.set("b", new Blob(["blob"])));
  say(await client.hset("h", { a: 1, b: "x" }), await client.hmset("h", ["a", 1]), await client.hmget("h", ["a", "b"]), await client.del("a", undefined, "b"));
  say(await client.send("ANY", ["thing", 5]), await client.zadd("z", 1, "a"), await client.exists("k"));
  for (const wrong of [() => client.get(), () => client.get({}), () => client.set("k", [1]), () => client.del(), () => client.hset("h", "a"), () => client.send("GET"), () => client.expire("k", "x"), () => client.publish("c"), () => client.send("subscribe", ["c"]), () => client.send("SSUBSCRIBE", ["c"]), () => client.send("MONITOR", []), () => client.subscribe("c"), () => client.unsubscribe()]) {
    try {
      say(await wrong());
    } catch ({ name, code, message }) {
      say(name, code, message);
    }
  }
  client.close();
  say(await outcome(client.get("k")));
  // Bytes are taken at the call, also by a client that is not connected yet.
  const late = new RedisClient(server.url);
  const bytes = Buffer.from("one");
  const early = late.set("k", bytes);
  bytes.fill("x");
  say(await early);
  late.close();
  server.close();
}

// Messages and transactions.
{
  const push = (kind, ...rest) => `>${rest.length + 1}\r\n+${kind}\r\n${rest.map((value) => (typeof value === "number" ? `:${value}\r\n` : `+${value}\r\n`)).join("")}`;
  let count = 0;
  const server = await serve(([name, ...args]) => {
    const kind = name.toLowerCase();
    if (kind.endsWith("unsubscribe")) return args.map((channel) => push(kind, channel, --count)).join("");
    if (kind.endsWith("subscribe")) return args.map((channel) => push(kind, channel, ++count)).join("") + push("message", "news", "first") + push("pmessage", "n*", "news", "by pattern");
    if (kind === "exec") return "*2\r\n+OK\r\n:1\r\n";
    return kind === "multi" ? "+OK\r\n" : "+QUEUED\r\n";
  });
  const client = new RedisClient(server.url);
  say(await client.multi().set("a", 1).exists("a").exec());
  const got = [];
  const { promise: six, resolve } = Promise.withResolvers();
  const take = (...what) => got.push(what) === 6 && resolve();
  say(await client.subscribe(["news", "other"], take));
  say(await client.psubscribe("n*", take));
  try {
    client.get("a");
  } catch ({ code, message }) {
    say(code, message);
  }
  server.drop();
  await six;
  say(got.slice(0, 3), "and again on the new connection");
  say(await client.unsubscribe("news"), await client.unsubscribe(), await client.punsubscribe());
  client.close();
  server.close();
}

// Connections that are lost.
{
  let lost = 0;
  const server = await serve(([name, key], socket) => {
    if (key === "kill") return void (lost++, socket.destroy());
    return name === "GET" ? `$${key.length}\r\n${key}\r\n` : "+OK\r\n";
  });
  const client = new RedisClient(server.url);
  const events = [];
  client.onconnect = () => events.push("connect");
  client.onclose = (error) => events.push(error.message);
  say(await client.get("a"), await Promise.all([outcome(client.get("kill")), outcome(client.get("behind"))]), await client.get("after"), lost);
  client.close();
  say(events);
  const once = new RedisClient(server.url, { autoReconnect: false });
  say(await outcome(once.get("kill")), once.connected, await once.get("a new connection"));
  once.close();
  const strict = new RedisClient(server.url, { enableOfflineQueue: false });
  say(await outcome(strict.get("a")));
  server.close();
  say(await outcome(new RedisClient(server.url, { maxRetries: 2 }).get("a")));
  const silent = await serve(() => "+OK\r\n", { hello: () => undefined });
  say(await outcome(new RedisClient(silent.url, { connectionTimeout: 30 }).get("a")));
  silent.close();
  const idle = await serve(() => undefined);
  say(await outcome(new RedisClient(idle.url, { idleTimeout: 30, autoReconnect: false }).get("a")));
  idle.close();
  const guarded = await serve(() => "+OK\r\n", { hello: (words) => (words.at(-1) === "s%cret" ? HELLO : "-WRONGPASS invalid username-password pair\r\n") });
  say(await outcome(new RedisClient(`redis://user:wrong@127.0.0.1:${guarded.port}`).get("a")));
  const right = new RedisClient(`redis://user:s%25cret@127.0.0.1:${guarded.port}/3`);
  say(await outcome(right.get("a")));
  right.close();
  guarded.close();
}

// Hostile replies: the connection ends, and the client says why.
for (const reply of ["?what\r\n", ":x\r\n", ":\r\n", "#maybe\r\n", ",\r\n", "$-2\r\n", "$99999999999\r\n", "$1\r\nabc\r\n", "*-5\r\n", "(1x\r\n", "=1\r\nx\r\n", "+no end\n", "*1\r\n".repeat(200), `+${"x".repeat(600000)}`]) {
  const server = await serve(() => reply);
  const client = new RedisClient(server.url, { autoReconnect: false });
  say(JSON.stringify(reply.slice(0, 12)), await outcome(client.get("a")));
  server.close();
}
const group = { sentinels: ["h"], name: "n" };
for (const [url, options] of [["http://x"], ["redis://h:99999"], ["redis://h:0"], ["redis+unix://"], [""], ["redis://h", { ...group, cluster: true }], ["redis+unix:///s", group], ["redis+unix:///s", { cluster: ["h"] }], ["redis://h/1", { cluster: true }], ["redis://h", { cluster: "h" }]]) {
  try {
    new RedisClient(url, options);
  } catch ({ name, code, message }) {
    say(name, code, message);
  }
}
