// What the short ways of URL, URLSearchParams and pathToFileURL() must agree with the parser about: credentials, dot
// segments, escapes, names that are equal once they are well-formed. Recorded from Node 25.8.1.
const { inspect } = require("node:util");
const { pathToFileURL } = require("node:url");

const show = (make) => {
  try {
    console.log(make().replace(process.cwd(), "CWD"));
  } catch (error) {
    console.log(error.code ?? error.name);
  }
};

const paths = [
  "/a b", "/a ", "/a\tb", "/a\nb", "/a%b", "/a?b", "/a#b", "/a\\b", "/ü", "/日本 x", "/a[b]^|~", '/a"<>`{}', "/\u0001x", "/x\u0001",
  "/x\u007f", "/\ud800", "/a;b=c,d&e+f$g!h'i(j)*k@:", "/..", "/a/./b", "/a//b", "/a/", "rel", "/ x ", " /x", "/😀", "/C:/x", "/%2e%2e/x",
];
for (const path of paths) {
  show(() => pathToFileURL(path).href);
  show(() => pathToFileURL(path, { windows: true }).href);
}

const inits = [
  { a: 1, b: "x y" },
  { "\ud800": 1, "\ufffd": 2 },
  { "\ufffd": 2, "\ud800": 1 },
  { a: "~!*()'-._%20 &=+ü日😀\ud800x" },
  { [Symbol("x")]: 1 },
  { __proto__: { z: 1 }, y: 2 },
  Object.defineProperty({ a: 1 }, "hidden", { value: 2 }),
  new Proxy({ a: 1, b: 2 }, {
    getOwnPropertyDescriptor: (target, key) => (key === "a" ? undefined : Reflect.getOwnPropertyDescriptor(target, key)),
  }),
  "a=%F0%9F%98%80&b=%zz+x",
  [["a", "b"], ["c", "d e"]],
  { a: undefined, b: null },
  { a: "\u0000\u007f\u0080", long: "a long text with a lone surrogate \udc00" },
];
for (const init of inits) show(() => new URLSearchParams(init).toString());

const urls = [
  "http://u:p@h/a?b#c", "http://u@h", "http://:p@h/", "http://u:@h/", "https://us%20er:pa%3Ass@h:8443/a/../b/./c?x=%20#y",
  "http://u@h:80/x", "http://u:p@[::1]/x", "http://u:p@h/a/%2e%2e/b", "ftp://u:p@h/x", "http://a@b@c/", "http://u:p:q@h/?@:",
  "http://h:8080/a/b/../c/..", "http://h/..", "http://h/a/.", "http://h/a/./?x/../y", "wss://u:p@1.2.3.4:1/@:/",
];
for (const text of urls) {
  const url = new URL(text);
  console.log(inspect(url, { showHidden: true }));
  console.log(new URL("../z?1", url).href, new URL("/q", url.href).href);
  url.pathname = "/new";
  url.search = "?s";
  url.hash = "h";
  console.log(url.href, url.username, url.password);
  url.username = "U";
  console.log(url.href);
  url.password = "";
  console.log(url.href, url.username, url.password);
  url.hostname = "other";
  url.port = "81";
  console.log(url.href, url.origin);
  url.searchParams.append("k", "v w");
  console.log(url.href, url.username, url.host);
}
