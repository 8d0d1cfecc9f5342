// Written by hand: what Bun has beyond the standard.
const h = new Headers([["set-cookie", "a=1"], ["B", "2"], ["set-cookie", "c=3"]]);
console.log(JSON.stringify(h), h.count, h.getAll("Set-Cookie"));
try { h.getAll("b"); } catch (error) { console.log(error.name); }
const form = new FormData();
form.append("a", "1");
form.append("a", "2");
form.append("b", "3");
console.log(JSON.stringify(form), form.length);
console.log(Response.redirect("/path", 303).headers.get("location"), new Response(null, { status: 101 }).status);
console.log(Response.json(1, 201).status, new Request({ url: "http://a/b", method: "PUT" }, { method: "POST" }).method);
const redirect = Response.redirect("/path");
redirect.headers.append("set-cookie", "a=b");
console.log(redirect.headers.getSetCookie().join());
(async () => {
  const mixed = new ReadableStream({ start(c) { c.enqueue("text "); c.enqueue(new Uint8Array([65])); c.close(); } });
  console.log(await new Response(mixed).text());
  let text = "";
  for await (const chunk of new Response("stream of text").textStream()) text += chunk;
  console.log(text);
})();
