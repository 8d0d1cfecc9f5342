// Recorded from Bun 1.4.5. Bun.markdown: HTML with several options, and the callbacks of render.
const src=`# Hello *World* & co

Para with **bold**, _em_, \`code <x>\`, ~~del~~, [link](http://a.b "t"), ![img](x.png), https://auto.link and <http://b.c>
hard  
break

- a
- b
  - c

1. one
2. two

5) five

- [ ] todo
- [x] done

> quote
> more

| a | b |
|---|:-:|
| 1 | **2** |

\`\`\`js title
let x = 1 < 2;
\`\`\`

    indented

---

<div>html</div>

Setext
======

a<br>b &amp; &copy; "q" 'q'
`;
const r=Bun.markdown.html(src); console.log(r);

for (const o of [{tables:false},{headings:true},{headings:{ids:true}},{autolinks:true},{strikethrough:false},{tagFilter:true}]) { const a=r.split("\n"),b=Bun.markdown.html(src,o).split("\n"); console.log(JSON.stringify(o), b.filter(l=>!a.includes(l)).join(" | ")); }
console.log(Bun.markdown.html("# A b!\n# A b!\n## Ünï *x*",{headings:{ids:true}}));
console.log(Bun.markdown.html("www.x.com, a@b.co. (https://x.y/z) <script>x</script> `www.a.b`",{autolinks:true,tagFilter:true}));
for (const text of ["* a\n\n  b\n* c", "1. a\n   - b\n\n     c", "> # h\n> - x\n\ny", "a\\\nb", "[a]: /u 't'\n\n[a] ![a]", "```\nx\n```", "<b>x</b> &lt; \\*", "***a** b*", "a|b\n-|-\n1|2|3\n4", "<a href='x y'>", "[x](</a b> \"q\")", "`` a`b ``", "Hard\\\nbreak", "- [ ] a\n  - [x] b", "# a #\n###### b", "http://a.b/?q=\"&amp;x"]) console.log(JSON.stringify(Bun.markdown.html(text)));
const cb={};const log=[];for(const k of ["heading","paragraph","blockquote","code","list","listItem","hr","table","thead","tbody","tr","th","td","html","strong","emphasis","link","image","codespan","strikethrough","text"])cb[k]=(c,m)=>{log.push(k+":"+JSON.stringify(c).slice(0,30)+":"+JSON.stringify(m));return "["+k+" "+c+"]"};
const small="# T *x*\n\nA **b** [l](u \"t\") ![i](s)\n\n1. a\n2. b\n   - c\n\n> q\n\n|a|b|\n|-|:-:|\n|1|2|\n\n---\n\n- [x] d";console.log(Bun.markdown.render(small,cb));console.log(log.join("\n"));
const t=(f)=>{try{console.log(JSON.stringify(f()))}catch(e){console.log("!!",e.name,e.code,e.message)}};
t(()=>Bun.markdown.html());t(()=>Bun.markdown.html(5));t(()=>Bun.markdown.html(Buffer.from("*a*")));t(()=>Bun.markdown.render("*a* b"));t(()=>Bun.markdown.render("*a* b",{emphasis:()=>null}));t(()=>Bun.markdown.render("*a* b\n\nc",{paragraph:c=>c+"|"}));
