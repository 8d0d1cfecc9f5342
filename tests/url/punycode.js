// Hosts with punycode that UTS 46 does not allow are refused: what Node 25.8.1 prints.
const url = require("node:url");
for (const host of [
  "xn--", "xn--a", "XN--99999", "a.xn--pokxncvks", "xn--zn7c.com", "xn--ls8h=", "xn--1ug", "xn--xn--zn7c-", "x%6e--a",
  "xn--espaol-zwa.com", "xn--ls8h.la", "1.xn--ls8h", "a..xn--ls8h", "a_b.xn--ls8h", "axn--a",
]) {
  const set = new URL("http://h/");
  set.hostname = host;
  console.log(host, ["http", "ws", "file", "foo"].map((scheme) => URL.canParse(`${scheme}://${host}/`)).join(),
    URL.parse(`http://${host}/`)?.href, set.host, url.domainToASCII(host), url.domainToUnicode(host));
}
