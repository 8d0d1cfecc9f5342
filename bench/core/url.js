// URL: parsing, members, search parameters, relative references, file URLs; the old url.parse is left out.
const { fileURLToPath, pathToFileURL } = require("node:url");
let sum = 0;
for (let i = 0; i < 150000; i++) {
  const url = new URL(`https://user:pass@example.com:8080/a/b/../c%20d/${i}?q=${i}&name=J%C3%BCrgen&empty=#top`);
  sum += url.pathname.length + url.hostname.length + url.href.length;
  sum += url.searchParams.get("name").length;
  const relative = new URL("../x/y.js?v=" + i, url);
  sum += relative.href.length;
  if (URL.canParse("http://[bad")) sum++;
  const query = new URLSearchParams({ a: i, b: "two words", c: "ü" });
  query.append("d", "4");
  sum += query.toString().length;
  sum += fileURLToPath(pathToFileURL("/home/some one/file.js")).length;
}
console.log(sum);
