// msw: a server of one's own behind fetch and node:http.
import http from "node:http";
import { http as rest, HttpResponse, passthrough } from "msw";
import { setupServer } from "msw/node";

const real = http.createServer((request, response) => response.end(`real ${request.url}`));
await new Promise((resolve) => real.listen(0, resolve));
const port = real.address().port;

const server = setupServer(
  rest.get("http://example.test/user/:id", ({ params, request }) =>
    HttpResponse.json(
      { id: params.id, q: new URL(request.url).searchParams.get("q") },
      { headers: { "x-made": "by msw" } },
    ),
  ),
  rest.post("http://example.test/echo", async ({ request }) =>
    HttpResponse.text(`echo ${await request.text()}`, { status: 202 }),
  ),
  rest.get("http://example.test/error", () => HttpResponse.error()),
  rest.get(`http://127.0.0.1:${port}/through`, () => passthrough()),
);
server.listen({ onUnhandledRequest: "bypass" });
const answer = await fetch("http://example.test/user/7?q=x");
console.log(answer.status, answer.headers.get("x-made"), await answer.json());
const echo = await fetch("http://example.test/echo", { method: "POST", body: "text" });
console.log(echo.status, await echo.text());
console.log(await fetch("http://example.test/error").catch((error) => error.name));

const get = (url, options = {}) =>
  new Promise((resolve, reject) => {
    const request = http.request(url, options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => (text += chunk));
      response.on("end", () => resolve(`${response.statusCode} ${text}`));
    });
    request.on("error", reject);
    request.end(options.body);
  });
console.log(await get("http://example.test/user/8?q=y"));
console.log(await get("http://example.test/echo", { method: "POST", body: "by http" }));
console.log(await get(`http://127.0.0.1:${port}/through`));
console.log(await (await fetch(`http://127.0.0.1:${port}/through`)).text());
server.use(rest.get("http://example.test/user/:id", () => new HttpResponse(null, { status: 404 }), { once: true }));
console.log((await fetch("http://example.test/user/9")).status, (await fetch("http://example.test/user/9")).status);
server.close();
console.log(await get(`http://127.0.0.1:${port}/unhandled`));
real.close();
