// expected: written by hand
// RedisClient with clusters of this file's own: hosts that are not told, closing, options, servers that do not answer, transactions.
import { RedisClient } from "bun";
import { outcome, serve } from "./support/fake.mjs";

const say = (...what) => console.log(...what);
const bulk = (text) => `$${text.length}\r\n${text}\r\n`;
const COMMANDS = `*4\r\n${[["get", 1], ["set", 1], ["watch", 1], ["ping", 0]].map(([name, first]) => `*4\r\n${bulk(name)}:2\r\n*0\r\n:${first}\r\n`).join("")}`;
/** All slots are at one server. */
const slotsAt = (host, port) => `*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n${host}:${port}\r\n`;
/** A server that tells what it is told to, and otherwise answers with `answer`. */
async function member(slots, answer = ([name, key]) => bulk(`${name} ${key}`)) {
  const server = await serve((words, socket) => {
    if (words[0] === "COMMAND") return COMMANDS;
    if (words[0] === "CLUSTER") return slots(server, socket);
    return answer(words, socket);
  });
  return server;
}
const named = (name) => ([command, key]) => (command === "ASKING" ? "+OK\r\n" : bulk(`${command} ${key} at ${name}`));

// A host that is not told is that of the server asked: in the list of slots, and in a redirection. The slot of "moved" is 1999.
for (const host of ["_\r\n", bulk(""), bulk("?")]) {
  const second = await member(() => "-ERR nobody asks\r\n", named("second"));
  let kind = "ASK";
  const told = host === bulk("?") ? "?" : "";
  const first = await member(({ port }) => slotsAt(host, port), (words) => (words[1] === "moved" ? `-${kind} 1999 ${told}:${second.port}\r\n` : named("first")(words)));
  const client = new RedisClient(first.url, { cluster: true });
  say(await client.get("here"), await client.get("moved"));
  kind = "MOVED";
  say(await client.get("moved"));
  client.close();
  first.close();
  second.close();
}

// close() ends what waits, also while nobody has told yet where the slots are; connect() begins anew.
{
  let isSilent = true;
  const { promise: asked, resolve } = Promise.withResolvers();
  const server = await member(({ port }) => (isSilent ? resolve() : slotsAt(bulk("127.0.0.1"), port)));
  const client = new RedisClient(server.url, { cluster: true });
  const events = [];
  client.onconnect = () => events.push("connect");
  client.onclose = ({ message }) => events.push(message);
  const waiting = [outcome(client.get("a")), outcome(client.connect()), outcome(client.multi().get("a").exec())];
  await asked;
  client.close();
  say(await Promise.all(waiting), await outcome(client.get("a")), await outcome(client.multi().exec()), events);
  isSilent = false;
  await client.connect();
  say(client.connected, await client.get("a"), client.bufferedAmount, (await client.duplicate()).connected);
  client.close();
  client.close();
  say(events, client.connected);
  server.close();
}

// Servers that do not answer are tried `maxRetries` times again, if the client reconnects at all and commands may wait.
{
  let connections = 0;
  const events = [];
  const tried = async (options) => {
    connections = 0;
    const server = await serve(() => undefined, { hello: (_, socket) => void (connections++, socket.destroy()) });
    const client = new RedisClient(server.url, { cluster: true, ...options });
    client.onclose = ({ message }) => events.push(message);
    say(await outcome(client.get("a")), await outcome(client.multi().get("a").exec()), connections, events.splice(0));
    server.close();
  };
  await tried({ maxRetries: 2 });
  await tried({ autoReconnect: false });
}
{
  const server = await member(({ port }) => slotsAt(bulk("127.0.0.1"), port));
  const strict = new RedisClient(server.url, { cluster: true, enableOfflineQueue: false });
  const { promise: opened, resolve } = Promise.withResolvers();
  strict.onconnect = resolve;
  say(await outcome(strict.get("a")), await outcome(strict.multi().get("a").exec()));
  await opened;
  say(await strict.get("a"));
  strict.close();
  server.close();
}

// What does not help to try again: a server without a cluster, a password that is wrong. A cluster without slots.
{
  const alone = await member(() => "-ERR This instance has cluster support disabled\r\n");
  say(await outcome(new RedisClient(alone.url, { cluster: true }).get("a")));
  alone.close();
  const guarded = await serve(() => undefined, { hello: () => "-WRONGPASS invalid username-password pair\r\n" });
  say(await outcome(new RedisClient(guarded.url.replace("//", "//u:p@"), { cluster: true }).get("a")));
  guarded.close();
  const empty = await member(() => "*0\r\n");
  const client = new RedisClient(empty.url, { cluster: true, maxRetries: 1 });
  say(await outcome(client.ping()), await outcome(client.get("a")));
  client.close();
  empty.close();
}

// A transaction goes to the server of its first key, which need not be that of its first command; one that its server
// has refused as a whole is sent to the server that has the slot now, unless keys are watched.
{
  const log = [];
  const second = await member(() => "-ERR nobody asks\r\n", ([name, ...rest]) => {
    log.push([name, ...rest].join(" "));
    return name === "MULTI" ? "+OK\r\n" : name === "EXEC" ? "*2\r\n+PONG\r\n+OK\r\n" : "+QUEUED\r\n";
  });
  // The slot of "k" is 7629.
  const half = (from, to, port) => `*3\r\n:${from}\r\n:${to}\r\n*2\r\n${bulk("127.0.0.1")}:${port}\r\n`;
  let moved = false;
  const first = await member(({ port }) => (moved ? slotsAt(bulk("127.0.0.1"), second.port) : `*2\r\n${half(0, 7000, port)}${half(7001, 16383, second.port)}`), ([name]) => (name === "EXEC" ? "-EXECABORT Transaction discarded because of previous errors.\r\n" : name === "MULTI" ? "+OK\r\n" : `-MOVED 1 127.0.0.1:${second.port}\r\n`));
  const client = new RedisClient(first.url, { cluster: true });
  const bytes = Buffer.from("v");
  const sent = client.multi().ping().set("k", bytes).exec();
  bytes.fill("x");
  say(await sent, log.splice(0));
  // "foo{b}" is in slot 3300.
  moved = true;
  say(await outcome(client.multi().ping().set("foo{b}", "v").exec()), log.splice(0));
  say(await client.multi().ping().set("foo{b}", "v").exec(), log.splice(0));
  client.close();
  moved = false;
  const watching = new RedisClient(first.url, { cluster: true });
  await watching.send("WATCH", ["k"]);
  moved = true;
  const refused = await watching.multi().set("foo{b}", "v").exec().catch((error) => error);
  say(refused.message, "|", refused.cause?.message.replace(/\d+$/, "PORT"), log.splice(0));
  watching.close();
  first.close();
  second.close();
}
process.exit();
