import Koa from "koa";
import Router from "@koa/router";
import connect from "connect";
import bodyParser from "body-parser";
import finalhandler from "finalhandler";
import polka from "polka";
import http from "node:http";
import { createRequire } from "node:module";
const { listen, show } = createRequire(import.meta.url)("./lib/client.cjs");
const json = { "content-type": "application/json" };
{
  const app = new Koa(),
    router = new Router({ prefix: "/v1" });
  app.silent = true;
  app.use(async (ctx, next) => {
    ctx.set("x-before", "1");
    try {
      await next();
    } catch (e) {
      ctx.status = e.status ?? 500;
      ctx.body = { error: e.message };
      ctx.app.emit("error", e, ctx);
    }
  });
  router
    .get("/item/:id", (ctx) => {
      ctx.body = { id: ctx.params.id, q: ctx.query };
    })
    .post("/item", async (ctx) => {
      const chunks = [];
      for await (const c of ctx.req) chunks.push(c);
      ctx.status = 201;
      ctx.body = Buffer.concat(chunks);
    })
    .get("/fail", (ctx) => ctx.throw(418, "teapot"));
  app.use(router.routes()).use(router.allowedMethods());
  const server = http.createServer(app.callback()),
    port = await listen(server);
  await show(port, "/v1/item/5?a=b");
  await show(port, "/v1/item", { method: "POST", body: "bytes" });
  await show(port, "/v1/fail");
  await show(port, "/v1/item", { method: "DELETE" });
  await show(port, "/none");
  server.close();
}
{
  const server = http.createServer(
      connect()
        .use(bodyParser.json())
        .use("/c", (req, res) => res.end(`connect ${req.url} ${JSON.stringify(req.body)}`))
        .use("/err", (req, res, next) => next(new Error("hidden"))),
    ),
    port = await listen(server);
  await show(port, "/c/d?x=1", { method: "POST", headers: json, body: "[1]" });
  await show(port, "/nope");
  server.close();
}
{
  const { handler } = polka({
    onError: (e, req, res) => {
      res.statusCode = 500;
      res.end(e.message ?? String(e));
    },
  })
    .use((req, res, next) => {
      req.t = 1;
      next();
    })
    .get("/h/:x?", (req, res) => res.end(JSON.stringify([req.params, req.query, req.t])));
  const p = polka().get("/h/:x", (req, res) => res.end(JSON.stringify([req.params, req.query]))),
    server = http.createServer((req, res) => p.handler(req, res)),
    port = await listen(server);
  await show(port, "/h/1?y=2");
  await show(port, "/q");
  server.close();
}
{
  const server = http.createServer((req, res) =>
      finalhandler(req, res, { env: "production" })(
        req.url === "/e" ? Object.assign(new Error("x"), { status: 503 }) : undefined,
      ),
    ),
    port = await listen(server);
  await show(port, "/e");
  await show(port, "/n");
  server.close();
}
