// expected: recorded from bun 1.4.5
// `$.braces`: what comes out, and what `tokenize` and `parse` show of it.
const texts = ["a{b,c}d", "a", "{a,b}{c,d}", "{a,{b,c}d}", "{a", "a}", "{}", "{a}", "{a,}", "{,}", "\\{a,b\\}", "a\\,{b\\,c,d}", "{a,b}c{d", "", "é{ü,日}", "{a,b,{c,{d,e}}}", "'{a,b}'", "{1..3}", "${x}{a,b}", "a,b", "{a}{b,c}", "{{a,b}}", "{a,{b}}", "{x{a}y,b}", "{a,b}}", "{{a,b}", "{a,{}}", "a\\\\{b,c}", "\\a{b,c}", "{a,b", "{a\\}b,c}", "{{a,b}{c,d}}", "pre{{a,b}{c,d}}post", "{a,b}\n{c,d}", "{😂,🫵}"];
for (const text of texts) {
  console.log(JSON.stringify(text), JSON.stringify(Bun.$.braces(text)));
  console.log(Bun.$.braces(text, { tokenize: true }));
  console.log(Bun.$.braces(text, { parse: true }));
}
console.log(JSON.stringify([Bun.$.braces("{a,b}", null), Bun.$.braces("{a,b}", {}), Bun.$.braces(1), Bun.$.braces(), Bun.$.braces("{a,b}", { tokenize: 1, parse: 1 })]));
try {
  Bun.$.braces("{a,b}", 1);
} catch (error) {
  console.log(error.name, error.message, error.code);
}
