// URLPattern: components, groups, bases, errors.
const show = (pattern) => [pattern.protocol, pattern.hostname, pattern.port, pattern.pathname, pattern.search, pattern.hash].join(" | ");
for (const args of [
  ["https://example.com/books/:id"], [{ pathname: "/:a/:b?" }], ["/x/*", "http://h:80/y"], [{ hostname: "{*.}?example.com" }], ["http{s}?://*/(\\d+)"], [{ pathname: "/a/*?", search: "q=:v" }],
  ["data\\:foobar"], [{ protocol: "foo", pathname: "/é" }], [{ pathname: "/:x(a|b)+" }], ["https://h/p?q#f"], [{ hash: "h", baseURL: "http://b/c?d" }], [],
]) {
  console.log(show(new URLPattern(...args)));
}
const pattern = new URLPattern({ pathname: "/books/:id(\\d+)/:rest*" });
console.log(JSON.stringify(pattern.exec("http://h/books/12/a/b").pathname), pattern.test("http://h/books/x"), pattern.test({ pathname: "/books/1" }), pattern.hasRegExpGroups);
console.log(JSON.stringify(new URLPattern("http://*:8*/").exec("http://h:81/")));
console.log(new URLPattern({ pathname: "/A" }, { ignoreCase: true }).test({ pathname: "/a" }), new URLPattern("/a", "http://h").test("a", "http://h/"));
for (const args of [["/relative"], [{ pathname: "(" }], [{ pathname: "/:a/:a" }], [{ port: "x" }], [{}, "http://h"], [5]]) {
  try {
    new URLPattern(...args);
    console.log("no error", JSON.stringify(args));
  } catch (error) {
    console.log(error.name, JSON.stringify(args));
  }
}
