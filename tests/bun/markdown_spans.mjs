// expected: by the documentation of Bun and of md4c; Bun 1.4.5 accepts these options, and they change nothing
const show = (text, options) => console.log(JSON.stringify(text), Object.keys(options).join(), "=>", JSON.stringify(Bun.markdown.html(text, options)));
for (const text of ["__a__ **b** _c_", "___d___ __e *f*__", "`__x__`"]) show(text, { underline: true });
for (const text of ["a $x^2$ b", "$$\nx < y\n$$", "\\$a$ `$b$` $c"]) show(text, { latexMath: true });
for (const text of ["a   b\t\tc", "`a   b`  x", "    code   x", "<b>  x</b>  y"]) show(text, { collapseWhitespace: true });
console.log(Bun.markdown.render("a $x$ __u__", { strong: (text) => `S(${text})` }, { latexMath: true, underline: true }));
