const Handlebars = require("handlebars");
Handlebars.registerHelper("loud", (text) => String(text).toUpperCase());
Handlebars.registerHelper("list", function (items, options) {
  return (
    "<ul>" +
    items.map((item, index) => "<li>" + options.fn(item, { data: { index } }) + "</li>").join("") +
    "</ul>" +
    (items.length ? "" : options.inverse(this))
  );
});
Handlebars.registerPartial("person", "{{#if last}}{{last}}, {{/if}}{{first}}{{> @partial-block }}");
const template = Handlebars.compile(`{{!-- comment --}}
{{#each people as |p key|}}
  {{@index}}/{{key}} {{#> person first=p.first last=p.last}}!{{/person}} {{loud p.first}} {{{p.html}}} {{p.html}}
{{else}}nobody{{/each}}
{{#with nested.deep}}{{x}} {{../nested.y}} {{@root.title}}{{/with}}
{{#unless off}}on{{~/unless}}   {{lookup map "k"}} {{#list people}}{{first}}{{/list}} {{[odd name]}} \\{{raw}}
`);
console.log(
  template({
    title: "T & <co>",
    people: [
      { first: "Yehuda", last: "Katz", html: "<b>'\"&</b>" },
      { first: "Alan", html: "=`" },
    ],
    nested: { deep: { x: 1 }, y: 2 },
    map: { k: "v" },
    "odd name": "odd",
  }),
);
console.log(template({ people: [] }));
console.log(Handlebars.precompile("{{#if a}}{{b.c}}{{/if}}").slice(0, 200));
console.log(JSON.stringify(Handlebars.parse("{{a.b 1 x=true}} text")));
for (const bad of ["{{#if a}}", "{{/x}}", "{{a", "{{> nope}}", "{{missing 1}}"]) {
  try {
    console.log(Handlebars.compile(bad)({}));
  } catch (error) {
    console.log(error.name, error.message);
  }
}
