// Bodies of responses whose status has none, recorded from Bun 1.4.5.
const response = new Response("x", { status: 204 });
console.log(response.status, await response.text());
const server = Bun.serve({ port: 0, fetch: (request) => new Response("No Content", { status: Number(request.url.slice(-3)) }) });
for (const status of [204, 205, 304]) {
  const answer = await fetch(`${server.url}${status}`);
  console.log(answer.status, JSON.stringify(await answer.text()));
}
server.stop();
