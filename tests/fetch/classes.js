// Recorded from Node.
const attempt = (name, f) => {
  try { console.log(name, f()); } catch (error) { console.log(name, "!", error.name); }
};
const show = (headers) => JSON.stringify([...headers]);

attempt("record", () => show(new Headers({ b: "1", A: " 2\t", "Set-Cookie": "x=y" })));
attempt("pairs", () => show(new Headers([["set-cookie", "a"], ["x", "1"], ["set-cookie", "b"], ["X", "2"], ["cookie", "c"]])));
attempt("copy", () => show(new Headers(new Headers({ a: "b" }))));
attempt("map", () => show(new Headers(new Map([["a", "b"]]))));
for (const init of [null, 5, "ab", [["a"]], [["a", "b", "c"]], { "a b": "c" }, { a: "b\nc" }, { a: "\u0100" }, { "": "a" }, [5]]) {
  attempt(`Headers ${JSON.stringify(init)}`, () => show(new Headers(init)));
}
const h = new Headers({ a: "1" });
h.append("A", "2");
h.append("set-cookie", "one");
h.append("set-cookie", "two");
console.log(h.get("a"), h.get("none"), h.has("SET-COOKIE"), h.getSetCookie(), [...h.keys()].join(), [...h.values()].join());
h.set("a", "3");
h.delete("set-cookie");
const seen = [];
h.set("b", "4");
h.forEach((value, name, all) => { seen.push(name + value + (all === h)); if (name === "a") h.append("c", "5"); });
console.log(seen.join(), String(h), String(h.entries()), Object.keys(h.entries().__proto__));
attempt("args", () => h.append("a"));
attempt("this", () => Headers.prototype.get.call({}, "a"));
console.log(h);

const form = new FormData();
form.append("text", "line\none");
form.append("text", 5);
form.append("file", new Blob(["abc"], { type: "text/x" }), "a.txt");
form.append("blob", new Blob(["d"]));
form.set("late", "x");
form.append("late", "y");
form.set("late", "z");
form.delete("none");
console.log([...form].map(([k, v]) => [k, typeof v === "string" ? v : `${v.name} ${v.type} ${v.size}`].join("=")).join("&"));
console.log(form.getAll("text"), form.get("none"), form.has("file"), form.get("blob") instanceof File, [...form.keys()].join());
attempt("form args", () => form.append("a"));
attempt("form blob", () => form.append("a", "b", "c"));
attempt("form form", () => new FormData({}));

attempt("relative", () => new Request("/a"));
attempt("credentials", () => new Request("http://a:b@c/"));
attempt("method", () => new Request("http://a/", { method: "a b" }));
attempt("connect", () => new Request("http://a/", { method: "connect" }));
attempt("mode", () => new Request("http://a/", { mode: "navigate" }));
attempt("cache", () => new Request("http://a/", { cache: "x" }));
attempt("signal", () => new Request("http://a/", { signal: {} }));
attempt("methods", () => ["get", "Post", "put", "patch", "delete", "QUERY"].map((method) => new Request("http://a", { method }).method).join());
const controller = new AbortController();
const first = new Request("http://a.b/c?d#e", { method: "POST", body: "body", headers: { q: "1" }, signal: controller.signal, keepalive: true, redirect: "manual" });
const second = new Request(first, { headers: { z: "2" } });
console.log(first.bodyUsed, second.bodyUsed, second.url, second.method, second.redirect, second.keepalive, show(second.headers));
controller.abort();
console.log(first.signal.aborted, second.signal.aborted, second.signal === second.signal);
console.log(new Request("http://a/", { method: "PUT", body: new URLSearchParams("a=b"), referrer: "http://c/d" }));

attempt("199", () => new Response(null, { status: 199 }));
attempt("600", () => new Response(null, { status: 600 }));
attempt("text", () => new Response(null, { statusText: "a\n" }));
attempt("redirect", () => Response.redirect("http://a/", 200));
attempt("json", () => Response.json(undefined));
attempt("used", () => new Response(new Response("a").body).body !== null);
attempt("locked", () => { const r = new Response("a"); r.body.getReader(); return r.clone(); });
const redirect = Response.redirect("http://a/b", 308);
console.log(redirect.status, redirect.headers.get("location"));
const error = Response.error();
attempt("closed", () => error.headers.set("a", "b"));
console.log(error.type, error.status, error.ok);
console.log(Response.json({ a: 1 }, { status: 201, headers: { b: "c" } }));
console.log(new Response());
console.log([new Response("a"), new Response(new URLSearchParams()), new Response(new Blob([], { type: "a/b" })), new Response(new Blob([])),
  new Response(new Uint8Array(1)), new Response("a", { headers: { "content-type": "x" } })].map((r) => r.headers.get("content-type")));
