// URL and URLSearchParams: parts, setters, the link between both, errors, inspection.
const { inspect } = require("node:util");
const parts = ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"];
const show = (url) => parts.map((part) => url[part]).join(" | ");
for (const [input, base] of [
  ["http://example.com"], ["https://user:p%40ss@sub.example.com:8080/p/a/t/h?query=string#hash"], ["HTTP://EXAMPLE.COM:80/../a/./b?#"],
  ["http://h/%7Efoo/é?ü#ß"], ["file:///C:/a/../b"], ["file://localhost/x"], ["mailto:a@b.c"], ["data:text/plain,hi there"],
  ["blob:https://a.b:1/uuid"], ["ws://127.1:80/"], ["http://0x7f.1/"], ["http://[::1]:3000/x"], ["http://[1:2::3]/"], ["foo://bar/../baz"], ["foo:/.//p"],
  ["../x?y", "http://h/a/b/c"], ["//other/p", "https://h/"], ["?q", "http://h/a?b#c"], ["#f", "http://h/a?b"], ["x", "file:///a/b"], ["/p", "http://h:81"],
  ["http://ex\tample.com/a\nb"], ["  http://h/  "], ["http://faß.de/"], ["http://xn--bcher-kva.example/"], ["http://h/?a'b"], ["non-special://h:99999999x"],
]) {
  try {
    console.log(show(new URL(input, base)));
  } catch (error) {
    console.log(error.name, error.code, error.message, JSON.stringify(error.input), JSON.stringify(error.base));
  }
}
for (const [input, base] of [["nope"], [""], ["http://"], ["http://a b/"], ["http://[::1/"], ["http://h:70000/"], ["//x"], ["x", "mailto:y"]]) {
  console.log(URL.canParse(input, base));
  try {
    new URL(input, base);
  } catch (error) {
    console.log(error.name, error.code, `${error}`, JSON.stringify(error.input), error.base);
  }
}

const url = new URL("http://u:p@h:81/a/b?x=1#f");
for (const [part, value] of [
  ["protocol", "https"], ["protocol", "mailto"], ["username", "ü"], ["password", ""], ["host", "other:443"], ["hostname", "a.b"], ["port", "8080x"], ["port", ""],
  ["pathname", "c d/../e"], ["search", "y=2 3"], ["hash", "#g`h"], ["search", ""], ["hash", ""], ["href", "https://new/?a=b&c=d"],
]) {
  url[part] = value;
  console.log(part, JSON.stringify(value), url.href);
}
const params = url.searchParams;
params.append("e", "f g&h");
console.log(url.search, params.size);
params.delete("c");
params.set("a", "ö");
console.log(url.href);
url.search = "?z=1&y=2&z=3&x=%zz%E4";
console.log([...params].join(" "), params.getAll("z"), params.get("q"), params.has("z", "3"), params.has("z", "4"));
params.sort();
params.delete("z", "1");
console.log(`${params}`, url.href);
for (const key of params.keys()) params.delete(key);
console.log(url.href);

for (const init of ["?a=b", "a=b&a=c&&=d&e", [["k", "v"]], { a: 1, b: "c" }, new Map([["m", "n"]]), new URLSearchParams("q=r"), undefined, null]) {
  console.log(inspect(new URLSearchParams(init)), String(new URLSearchParams(init)));
}
for (const call of [
  () => new URLSearchParams([["a"]]), () => new URLSearchParams([5]), () => new URLSearchParams({ [Symbol.iterator]: 1 }), () => params.append("a"),
  () => params.forEach(1), () => URLSearchParams.prototype.get.call({}, "a"), () => new URL(),
]) {
  try {
    call();
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
}
console.log(inspect(new URL("http://h/p?a=b")), inspect({ u: new URL("http://h") }, { depth: 0 }));
console.log(inspect(new URLSearchParams("a=1&b=2").entries()), Object.prototype.toString.call(new URLSearchParams().keys()));
console.log(JSON.stringify({ u: new URL("http://h/ü") }), Object.prototype.toString.call(url), URL.length, URLSearchParams.length);
