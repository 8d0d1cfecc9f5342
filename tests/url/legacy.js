// The legacy API of node:url, file URLs, and node:punycode.
process.removeAllListeners("warning");
process.on("warning", () => {});
const url = require("node:url");
const fields = ["protocol", "slashes", "auth", "host", "port", "hostname", "hash", "search", "query", "pathname", "path", "href"];
for (const input of [
  "http://user:pass@host.com:8080/p/a/t/h?query=string#hash", "HTTP://EXAMPLE.com", "/path?x=1#y", "//host/path", "mailto:a@b.c?subject=x", "javascript:alert(1)",
  "http://a.b/\tc d/{e}|\\f", "x:y", "http://[::1]:80/x", "coap:[fe80::1]/x", "http://a@b@c/", "http://ex ample.com/", "file:///etc/passwd", "", "?", "http://bücher.de/ü",
  "http://host?q", "  http://h/  ", "git+ssh://git@github.com/x.git", "http:path", "dash-test:foo/bar",
]) {
  const parsed = url.parse(input);
  console.log(JSON.stringify(input), fields.map((field) => JSON.stringify(parsed[field])).join(" "));
}
console.log(JSON.stringify(url.parse("//h/p?a=1&a=2", true, true)));
for (const [from, to] of [
  ["/one/two/three", "four"], ["http://example.com/", "/one"], ["http://example.com/one", "/two"], ["http://a/b/c/d;p?q", "../../g"], ["http://a/b/c", "?y"],
  ["http://a/b/c", "#s"], ["http://a/b", "//c/d"], ["http://a/b", "https:d"], ["mailto:x@y", "z"], ["", "x"], ["a/b", "../../../c"], ["http://u:p@a/b", "/c"], ["http://a", "mailto:b"],
]) {
  console.log(JSON.stringify([from, to, url.resolve(from, to)]));
}
for (const object of [
  { protocol: "http", host: "h:8", pathname: "p?#", query: { a: [1, 2], b: "c" } }, { hostname: "::1", port: 80, slashes: true }, { auth: "a:b@", host: "h" },
  { protocol: "file", pathname: "/x" }, { search: "x#y", hash: "z" }, { pathname: "a" },
]) {
  console.log(url.format(object));
}
console.log(url.format(new URL("http://u:p@xn--bcher-kva.de:81/a?b#c"), { auth: false, fragment: false, search: false, unicode: true }));
for (const bad of [null, 5, "http://a\u2100b/", "http://[x\0]/"]) {
  try {
    url.parse(bad);
  } catch (error) {
    console.log(error.name, error.code);
  }
}

console.log(url.fileURLToPath("file:///a%20b/ü"), url.fileURLToPath("file:///C:/x", { windows: true }), url.pathToFileURL("/a b#?%\\\n").href);
console.log(url.pathToFileURL("/dir/").href, url.fileURLToPath(new URL("file:///x/../y")));
for (const bad of ["http://h/", "file://host/x", "file:///a%2fb", 5]) {
  try {
    url.fileURLToPath(bad);
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
}
console.log(url.domainToASCII("español.com"), url.domainToUnicode("xn--espaol-zwa.com"), JSON.stringify(url.domainToASCII("a b")));
console.log(url.urlToHttpOptions(new URL("http://u:p%40@[::1]:81/a?b#c")));

const punycode = require("node:punycode");
for (const text of ["mañana", "bücher", "☃-⌘", "", "abc", "他们为什么不说中文", "𝟘"]) console.log(punycode.encode(text), punycode.decode(punycode.encode(text)) === text);
console.log(punycode.toASCII("джумла@джpумлатест.bрфa"), punycode.toUnicode("xn--maana-pta.com"), punycode.ucs2.decode("a\u{1F600}").join());
try {
  punycode.decode("\x80-");
} catch (error) {
  console.log(error.name, error.message);
}
