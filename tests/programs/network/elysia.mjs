// By itself and behind Bun.serve. Recorded from Bun 1.4.5, which Elysia is made for.
import { Elysia, t } from "elysia";
const app = new Elysia({ aot: true })
  .state("count", 0)
  .decorate("greet", (name) => `hello ${name}`)
  .derive(({ headers }) => ({ agent: headers["x-agent"] ?? "none" }))
  .onError(({ code, error, set }) => { if (code === "NOT_FOUND") { set.status = 404; return "nothing here"; } if (error.message === "boom") return new Response("caught", { status: 500 }); })
  .get("/", "root")
  .get("/json", ({ query, agent }) => ({ query, agent }))
  .get("/id/:id", ({ params: { id }, greet }) => greet(id), { params: t.Object({ id: t.Number() }) })
  .get("/wild/*", ({ params }) => params["*"])
  .get("/count", ({ store }) => ++store.count)
  .get("/cookie", ({ cookie: { seen } }) => { seen.value = "yes"; seen.httpOnly = true; return "set"; })
  .get("/boom", () => { throw new Error("boom"); })
  .get("/redirect", ({ redirect }) => redirect("/json"))
  .get("/stream", async function* () { yield "a"; yield "b"; })
  .get("/status", ({ status }) => status(418, "teapot"))
  .get("/response", () => new Response("made", { headers: { "x-made": "1" } }))
  .post("/body", ({ body }) => body, { body: t.Object({ name: t.String(), age: t.Optional(t.Number()) }) })
  .post("/text", ({ body }) => `got ${body}`)
  .post("/form", ({ body }) => body)
  .group("/group", (group) => group.get("/a", "in group").guard({ beforeHandle: ({ set }) => { set.status = 401; return "no"; } }, (inner) => inner.get("/secret", "secret")));
const show = async (path, init) => {
  const response = await app.handle(new Request(`http://localhost${path}`, init));
  const headers = Object.fromEntries([...response.headers].filter(([name]) => ["location", "set-cookie", "x-made"].includes(name)).sort());
  console.log(init?.method ?? "GET", path, response.status, JSON.stringify(headers), (await response.text()).slice(0, 200));
};
const json = { "content-type": "application/json" };
for (const path of ["/", "/json?a=1&b=2", "/id/5", "/wild/x/y", "/count", "/count", "/cookie", "/boom", "/redirect", "/stream", "/status", "/response", "/none", "/group/a", "/group/secret"]) await show(path);
await show("/json", { headers: { "x-agent": "me" } });
await show("/body", { method: "POST", headers: json, body: '{"name":"a","age":1}' });
await show("/text", { method: "POST", headers: { "content-type": "text/plain" }, body: "plain" });
await show("/form", { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" }, body: "a=1&b=2" });
console.log((await app.handle(new Request("http://localhost/id/x"))).status, (await app.handle(new Request("http://localhost/body", { method: "POST", headers: json, body: "{}" }))).status);
app.ws("/ws", { body: t.Object({ n: t.Number() }), open(ws) { ws.send("welcome"); }, message(ws, { n }) { ws.send({ doubled: n * 2 }); } });
app.listen({ port: 0, hostname: "127.0.0.1" });
const { port } = app.server;
console.log(await (await fetch(`http://127.0.0.1:${port}/id/7`)).text(), (await fetch(`http://127.0.0.1:${port}/none`)).status);
const many = await Promise.all(Array.from({ length: 200 }, (_, i) => fetch(`http://127.0.0.1:${port}/id/${i}`).then((response) => response.text())));
console.log(many.every((text, i) => text === `hello ${i}`));
const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
const messages = [];
await new Promise((resolve) => {
  socket.onmessage = ({ data }) => {
    messages.push(data);
    if (messages.length === 1) socket.send(JSON.stringify({ n: 21 }));
    else socket.close();
  };
  socket.onclose = resolve;
});
console.log(messages.join());
await app.stop(true);
console.log("stopped");
