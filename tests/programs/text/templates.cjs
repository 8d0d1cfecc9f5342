const pug = require("pug"),
  ejs = require("ejs"),
  mustache = require("mustache"),
  nunjucks = require("nunjucks"),
  { Eta } = require("eta"),
  { Liquid } = require("liquidjs");
console.log(
  pug.compile(
    "doctype html\nhtml\n  head: title= t\n  body.a(class={b: true, c: false} data-x=obj)\n    each v, i in list\n      li(class='i' + i) #{v} !{v}\n    else\n      p none\n    mixin m(x)\n      p.m= x\n        block\n    +m('q') inner\n    case n\n      when 1: b one\n      default: i many\n    | text &\n    script.\n      if (a < b) c()",
    { pretty: true },
  )({ t: "T<", list: ["<a>", "b"], obj: { k: 1 }, n: 1 }),
);
try {
  pug.compile("div\n  +nope", { filename: "x.pug" })();
} catch (e) {
  console.log(e.name);
}
try {
  pug.compile("a(b='", { filename: "x.pug" });
} catch (e) {
  console.log(e.code, e.line, e.column, e.msg);
}
console.log(
  ejs.render("<% for (const x of xs) { -%>\n* <%= x %> <%- x %>\n<% } %><%# c %><%% <%_ if (1) { _%> y <%_ } _%>", {
    xs: ["<", "b"],
  }),
);
try {
  ejs.render("line\n<%= missing.x %>", {});
} catch (e) {
  console.log(e.name, e.message.split("\n").slice(0, 4).join("|"));
}
console.log(
  mustache.render(
    "{{#a}}{{b}}{{{b}}}{{#f}}x{{y}}{{/f}}{{/a}}{{^n}}no{{/n}}{{>p}}{{=<% %>=}}<% y %>",
    { a: [{ b: "<1>" }, { b: 2 }], y: "Y", f: () => (t, r) => `[${r(t)}]` },
    { p: "partial {{y}}" },
  ),
);
const env = new nunjucks.Environment(null, { autoescape: true });
env.addFilter("shout", (s, n) => s.toUpperCase() + "!".repeat(n));
env.addGlobal("now", 5);
console.log(
  env.renderString(
    "{% macro f(x, y=2) %}<i>{{ x }}-{{ y }}</i>{% endmacro %}{% for k, v in o %}{{ loop.index }}:{{ k }}={{ v|shout(2) }} {% else %}e{% endfor %}{{ f('<a>') }}{% set z = [1,2]|join('+') %}{{ z }}{{ now if now > 3 else 'x' }}{% raw %}{{ r }}{% endraw %}{{ '<b>'|safe }}{{ [3,1,2]|sort|last }}",
    { o: { a: "x", b: "y" } },
  ),
);
try {
  env.renderString("{% if %}", {});
} catch (e) {
  console.log(e.name, e.message.split("\n").pop().trim());
}
console.log(new Eta().renderString("<% it.xs.forEach((x) => { %><%= x %>,<%~ x %>;<% }) %>", { xs: ["<", 1] }));
new Liquid()
  .parseAndRender(
    "{% assign x = 'a,b' | split: ',' %}{% for i in x reversed %}{{ i | upcase }}{{ forloop.index }}{% endfor %}{% if n > 2 and x contains 'a' %}ok{% endif %}{{ d | date: '%Y-%m-%d' }}{% case n %}{% when 3 %}three{% endcase %}{{ 'x' | append: 'y' | capitalize }}",
    { n: 3, d: "2020-01-02T03:04:05Z" },
  )
  .then(console.log);
