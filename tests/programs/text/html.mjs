import * as cheerio from "cheerio/slim";
import * as parse5 from "parse5";
import { Parser, parseDocument, DomUtils } from "htmlparser2";
import render from "dom-serializer";
import sanitize from "sanitize-html";
import Turndown from "turndown";
import * as entities from "entities";
import he from "he";
import { create, convert } from "xmlbuilder2";
const html = `<!DOCTYPE html><html><head><title>T &amp; C</title></head><body class="x"><ul id=list><li class="a">1<li class="b" data-n='5'>2 &lt;b&gt;<li>3</ul><table><tr><td>cell</table><p>para <b>bold<i>both</b>it</i><script>if (a<b) alert("x")</script></body></html>`;
const $ = cheerio.load(html);
console.log(
  $("title").text(),
  $("li")
    .map((i, e) => $(e).text())
    .get(),
  $("li.b").data("n"),
  $("#list > li:nth-child(odd)").length,
  $("li").first().attr("class", "z").addClass("q").prop("outerHTML"),
);
$("ul").append("<li>new</li>").find(".b").remove();
$("p").wrap("<section></section>");
console.log($("body").html());
console.log(
  parse5.serialize(parse5.parse(html)),
  JSON.stringify(parse5.parseFragment("<td>x</td><svg><path/></svg>&notit;"), (k, v) => (k === "parentNode" ? undefined : v))
    .length,
);
const events = [];
const parser = new Parser(
  {
    onopentag: (n, a) => events.push("<" + n + JSON.stringify(a)),
    ontext: (t) => events.push(t),
    onclosetag: (n, implied) => events.push("/" + n + (implied ? "*" : "")),
    oncomment: (c) => events.push("!" + c),
  },
  { decodeEntities: true },
);
parser.write("<a href=x>t&eacute;<!-- c --><br>");
parser.end("<p>u");
console.log(events.join(" "));
console.log(
  DomUtils.getElementsByTagName("b", parseDocument("<a><b>1</b><b/></a>", { xmlMode: true })).length,
  render(parseDocument("<a b='1'>x<br></a>")),
);
console.log(
  sanitize(`<a href="javascript:x" onclick=y>k</a><script>z</script><img src=x.png><b>ok`, { allowedTags: ["a", "b"] }),
  new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced" }).turndown(
    "<h1>Hi</h1><p>a <strong>b</strong> <a href='/c'>d</a></p><ul><li>x</li></ul><pre><code>y</code></pre>",
  ),
);
console.log(
  entities.decodeHTML("&lt;&eacute;&#x1F600;&notanentity;&amp"),
  entities.encodeXML("<é😀\"'>"),
  he.encode("foo © bar ≠ 𝌆"),
  he.decode("&copy;&#169;&quot"),
);
console.log(
  create({ version: "1.0" }).ele("root", { a: "1" }).ele("x").txt("t<").up().com("c").end({ prettyPrint: true }),
  JSON.stringify(convert("<r><a b='1'>x</a><a>y</a></r>", { format: "object" })),
);
