// expected: recorded from bun 1.4.5
// Options of Markdown: wiki links, HTML as text, which addresses become links.
const t=(s,o)=>console.log(JSON.stringify(s),JSON.stringify(o),"=>",JSON.stringify(Bun.markdown.html(s,o)));
t("[[wiki]] [[a|b *c*]] [[a b]]",{wikiLinks:true}); t("<div>\nx\n</div>\n\na <b>y</b> <!-- c -->",{noHtmlSpans:true}); t("https://a.b www.x.y a@b.c",{autolinks:{url:true}}); t("https://a.b www.x.y a@b.c",{autolinks:{www:true}}); t("https://a.b www.x.y a@b.c",{autolinks:{email:true}}); t("https://a.b www.x.y a@b.c",{autolinks:true});
console.log(Bun.markdown.render("[[a|b]] c",{link:(c,m)=>`L(${c},${JSON.stringify(m)})`, wikilink:(c,m)=>`W(${c},${JSON.stringify(m)})`, wikiLink:(c,m)=>`w(${c},${JSON.stringify(m)})`},{wikiLinks:true}));
console.log(Bun.markdown.render("a <b>c</b>",{html:(c,m)=>`H(${c})`},{noHtmlSpans:true}));
