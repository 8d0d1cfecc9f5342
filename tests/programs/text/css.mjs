import postcss from "postcss";
import autoprefixer from "autoprefixer";
import nested from "postcss-nested";
import cssnano from "cssnano";
import * as csso from "csso";
import less from "less";
import * as sass from "sass";
import stylus from "stylus";
const input = `:root{--c:#ff0000}\n.a{ color : RED; &:hover{display:flex; user-select:none} .b &{margin:0px 0px 0px 0px} }\n@media (min-width:10px){.g{display:grid;grid-template-columns:1fr}}\n::placeholder{color:rgba(0,0,0,.5)}\n`;
const out = await postcss([nested, autoprefixer({ overrideBrowserslist: ["chrome 50", "firefox 30", "ie 11"] })]).process(input, {
  from: "a.css",
  to: "b.css",
  map: { inline: false },
});
console.log(out.css, out.map.toJSON().sources, out.map.toJSON().mappings);
console.log(
  (await postcss([cssnano({ preset: "default" })]).process(input.replace(/&:hover|\.b &/g, "c"), { from: undefined })).css,
  csso.minify(".a{color:#ff0000;margin:0 0 0 0}.b{color:red}.a{color:blue}").css,
);
try {
  postcss.parse("a {\n color: black", { from: "bad.css" });
} catch (e) {
  console.log(e.name, e.reason, e.line, e.column, e.showSourceCode(false));
}
console.log(
  (
    await less.render(
      "@c: #336699; .m(@w: 1px){border: @w solid darken(@c, 10%)} .x{.m(2px); &-y{width: (10px + 5) * 2; .z when (iscolor(@c)){color: fade(@c, 50%)}} @media print{a: b}} @plugin: 1; .g{width: ~`1+1`}".replace(
        " .g{width: ~`1+1`}",
        "",
      ),
    )
  ).css,
);
await less.render(".a{color: @nope}").catch((e) => console.log(e.name, e.type, e.message, e.line, e.column));
console.log(
  sass.compileString(
    `@use "sass:math"; @use "sass:color"; $m: (a: 1px, b: 2px); @mixin f($x...) { @each $k, $v in $m { .#{$k} { width: $v * length($x); } } } @include f(1, 2); %p { c: d } .q { @extend %p; &:not(.r) { height: math.div(10px, 4); color: color.adjust(#123456, $lightness: 10%); } } @function g($n) { @if $n < 2 { @return 1 } @return $n * g($n - 1) } .fact { v: g(5) }`,
  ).css,
);
console.log(sass.compileString("a\n  b: c\n  &:d\n    e: f", { syntax: "indented", style: "compressed", sourceMap: true }).css);
try {
  sass.compileString("a { b: $undefined }");
} catch (e) {
  console.log(e.constructor.name, e.message);
}
console.log(
  stylus(
    "c = #fff\nbody\n  color darken(c, 20%)\n  for n in 1 2\n    .i{n}\n      width n * 10px\nadd(a, b = a)\n  a + b\n.f\n  w add(3px)",
  )
    .set("compress", false)
    .render(),
);
try {
  stylus("a\n  b(").render();
} catch (e) {
  console.log(e.name);
}
