// Recorded from Node.
const attempt = async (name, f) => {
  try { console.log(name, await f()); } catch (error) { console.log(name, "!", error.name); }
};
const bytes = new TextEncoder().encode("\ufeffbytes \u20ac");
const sources = {
  string: () => "text \u20ac",
  mark: () => "\ufefftext",
  bytes: () => bytes,
  buffer: () => bytes.buffer,
  view: () => new DataView(bytes.buffer, 3, 2),
  blob: () => new Blob(["bl", "ob"]),
  search: () => new URLSearchParams({ a: "b c" }),
  stream: () => new ReadableStream({ start(c) { c.enqueue(bytes.slice(0, 9)); c.enqueue(bytes.slice(9)); c.close(); } }),
  iterable: async function* () { yield Buffer.from("it"); yield Buffer.from("er"); },
  number: () => 5,
  none: () => null,
};
const read = {
  text: (r) => r.text(),
  bytes: async (r) => [...await r.bytes()].join(),
  arrayBuffer: async (r) => (await r.arrayBuffer()).byteLength,
  blob: async (r) => { const b = await r.blob(); return `${b.size} ${b.type}`; },
  clone: async (r) => { const c = r.clone(); return `${await r.text()} ${await c.text()}`; },
  body: async (r) => { let s = 0; if (r.body === null) return null; for await (const c of r.body) s += c.length; return s; },
};
(async () => {
  for (const source of Object.keys(sources)) {
    for (const way of Object.keys(read)) {
      const value = sources[source]();
      const response = new Response(typeof value?.next === "function" ? value : value);
      await attempt(`${source} ${way}`, async () => `${await read[way](response)} ${response.bodyUsed}`);
    }
  }
  await attempt("twice", async () => { const r = new Response("a"); await r.text(); await r.text(); });
  await attempt("clone used", async () => { const r = new Response("a"); await r.text(); r.clone(); });
  await attempt("locked", async () => { const r = new Response("a"); r.body.getReader(); await r.text(); });
  await attempt("json", async () => JSON.stringify(await new Response('{"a":[1]}').json()));
  await attempt("json broken", () => new Response("{").json());
  await attempt("json empty", () => new Response().json());
  await attempt("failing", () => new Response(new ReadableStream({ start(c) { c.error(new RangeError("x")); } })).text());
  await attempt("bad chunk", () => new Response(new ReadableStream({ start(c) { c.enqueue(5); c.close(); } })).text());
  await attempt("request", async () => { const r = new Request("http://a/", { method: "POST", body: "x" }); return `${await r.text()} ${r.bodyUsed}`; });
  await attempt("copied", async () => { const b = new Uint8Array([65]); const r = new Response(b); b[0] = 66; return r.text(); });
  await attempt("type", async () => (await new Response("a", { headers: { "content-type": "Text/HTML;Charset=x" } }).blob()).type);
  await attempt("after", async () => { const r = new Response("a"); await r.text(); return [r.body.locked, r.bodyUsed].join(); });
  await attempt("cancel", async () => { const r = new Response("a"); await r.body.cancel(); return r.bodyUsed; });

  // Forms
  const form = new FormData();
  form.append('na"me\n', "a\nb\r\nc\rd");
  form.append("file", new File(["xyz"], 'f"i\r\nle.txt', { type: "text/plain" }));
  form.append("blob", new Blob(["\0\xff"]));
  const packed = new Response(form);
  const type = packed.headers.get("content-type");
  const boundary = type.split("boundary=")[1];
  const text = await packed.clone().text();
  console.log(type.startsWith("multipart/form-data; boundary=-"), JSON.stringify(text.replaceAll(boundary, "B").replace(/(--\r\n)?$/, "")));
  const back = await packed.formData();
  for (const [k, v] of back) console.log(JSON.stringify(k), typeof v === "string" ? JSON.stringify(v) : `${v.name} ${v.type} ${await v.text()}`);
  const parse = async (body, type) => JSON.stringify([...await new Response(body, { headers: type ? { "content-type": type } : {} }).formData()].map(([k, v]) => [k, typeof v === "string" ? v : `${v.name},${v.type},${v.size}`]));
  const part = (head, body) => `--x\r\n${head}\r\n\r\n${body}\r\n`;
  await attempt("urlencoded", () => parse("a=b+c&d=%41&e", "application/x-www-form-urlencoded; charset=utf-8"));
  await attempt("parts", () => parse(`${part('Content-Disposition: form-data; name="a"', "1")}${part('content-disposition: form-data; name="f"; filename="g.png"\r\ncontent-type: image/png', "PNG\r\nDATA")}${part('Content-Disposition: form-data; name="e"', "")}--x--\r\n`, "multipart/form-data; boundary=x"));
  await attempt("quoted", () => parse(`${part('Content-Disposition: form-data; name="a"', "1")}--x--`, 'multipart/form-data; boundary="x"'));
  await attempt("no end", () => parse(part('Content-Disposition: form-data; name="a"', "1"), "multipart/form-data; boundary=x"));
  await attempt("no name", () => parse(`${part("Content-Disposition: form-data", "1")}--x--`, "multipart/form-data; boundary=x"));
  await attempt("no boundary", () => parse("--x--", "multipart/form-data"));
  await attempt("other type", () => parse("a", "text/plain"));
  await attempt("no type", () => parse(bytes));
})();
