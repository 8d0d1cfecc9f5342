// Part of train.sh: a server and four clients in one process.
const server = Bun.serve({
  port: 0,
  async fetch(request) {
    if (request.method === "POST") {
      const body = await request.json();
      return Response.json({ got: body.list.length, name: body.name });
    }
    const url = new URL(request.url);
    return new Response(`hello ${url.searchParams.get("x")}`, { headers: { "content-type": "text/plain" } });
  },
});
let total = 0;

async function client(count) {
  for (let i = 0; i < count; i++) {
    const got = await fetch(`${server.url}?x=${i}`);
    total += (await got.text()).length;
    const posted = await fetch(server.url, { method: "POST", body: JSON.stringify({ list: [1, 2, 3], name: `n${i}` }) });
    total += (await posted.json()).got;
  }
}

await Promise.all([client(750), client(750), client(750), client(750)]);
console.log(total);
server.stop(true);
