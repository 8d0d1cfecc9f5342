// expected: recorded from bun 1.4.5
// Bun.markdown.ansi: tables that are wider than the terminal, words and pieces that are longer than a line, colours of calls.
const t="| File | Description |\n|------|------|\n| `docs/components/guide.md` | Design system component API (Dialog, Tabs, StatusIcon, etc.) |\n";
for (const c of [120,60,50,40,30,20,10]) console.log(c+"\n"+Bun.markdown.ansi(t,{colors:false,columns:c}));
const u="| a | bbbbbbbbbbbbbbbbbbbb | ccc ccc ccc ccc ccc ccc |\n|:-:|--:|---|\n| x | 1 | some text here |\n| **bold text that is long** | 2 | [link](http://x) |\n";
for (const c of [80,40,30,24]) console.log(c+"\n"+Bun.markdown.ansi(u,{colors:false,columns:c}));
console.log(JSON.stringify(Bun.markdown.ansi(u,{colors:true,columns:40})));
const f = (text, columns) => console.log(columns, JSON.stringify(Bun.markdown.ansi(text, { colors: false, columns })));
f("A "+"x".repeat(60)+" wide.\n",30); f("A "+"测试".repeat(10)+" wide.\n",30); f("Some text here and there then "+"x".repeat(35)+" wide.\n",30); f("word ".repeat(5)+"x".repeat(29)+" e\n",30); f("a `code span here` b `another code` , c `x`, d `yyyyyyyyyyyyyyyyyyyyyyyyy`, end of it\n",20); f("see **https://bun.com** and <me@example.com>!\n",30); f("aaaa **bbbb**cccc dddd\n",9); f("aaaa **bb bb**cccc dddd\n",9);f("aaaa bb[link](http://abc) ddd\n",12);
f("aaaaaaaaaaaaaaaaaaaaa\n",10); f("x aaaaaaaaaaaaaaaaaaaaa b\n",10); f("xxxxxxxxx aaaaaaaaaaaaaaaaaaaaa b\n",10);f("xxxxxxxx aaaaaaaaaaaaaaaaaaaaa b\n",10);f("xxxxxxxxxx aaaaaaaaaaaaaaaaaaaaa b\n",10);
f("xx `code span here is long` y\n",12); f("foo`bar`baz\n",5); f("foo`bar`baz qux\n",8); f("aaa `b c d`, e\n",8); f("aaa `b c d`, e\n",9); f("**foo**`bar`\n",5); f("**foo**, *bar*\n",5);f("aa **foo**, *bar*\n",6);f("aa **f o**, *bar*\n",6); f("[link](http://aaaaaaaaaaaaaaaaaaaaaaaa) x\n",12); f("z [link](http://aaaaaaaaaaaaaaaaaaaaaaaa) x\n",9); f("aa~~bb~~, c\n",4);f("a `b`c\n",3);f("a `bbb``c`\n",4); f("x &amp; y&amp;z\n",4); f("aa [[wiki link]], b\n",9);
const g = (text, columns) => console.log(columns, JSON.stringify(Bun.markdown.ansi(text, { colors: true, columns })));
g("aaa `b c d`, e\n",9); g("aaa `b c d`, e\n",8); g("a `b`c\n",3); g("aaa `bcd`, e\n",7); g("aaa bcd`e`, e\n",8); g("aaa `bcd`ef g\n",8);g("aaa xx`bcd` g\n",8); g("aaa [link](http://a) b\n",20); g("foo`bar`baz qux\n",8); g("aaa **bcd**, e\n",7); g("aaa *b*cd, e\n",7); g("aaa `b`*cd*, e\n",7);
for (const code of ["a.b.c(1)", "x.y = 2", "foo().bar()", "a. b()", "a.b ()", "a?.b()", "r[0].map(x)", "this.get()", "a.if(1)", "a.b`x`", "new A().b();", "a\n  .then(b)", "...args.x()", "`${a.b()}`.c()", "(x).y()", "import.meta.url()", "new A", "new a.B(1)", "enum E {}", "super.x()", "this.#p()", "true.a()"]) {
  console.log(JSON.stringify(Bun.markdown.ansi("```js\n" + code + "\n```\n", { colors: true })));
}
const linked = "| Col |\n|---|\n| [c](<https://host/my file.png>)longunbreakabletailtextxx |\n";
console.log(Bun.markdown.ansi(linked, { hyperlinks: true, columns: 25 }).includes("\x1b]8;;https://host/my file.png\x1b\\"));
const code = "| Path | Scope |\n|---|---|\n| `docs/components/design-system/guide.md` | **bold and _more_ of it** here |\n";
console.log(JSON.stringify(Bun.markdown.ansi(code, { colors: true, columns: 40 })));
