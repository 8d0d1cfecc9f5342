// expected: recorded from bun 1.4.5
// Options that change what begins a block.
const show = (text, options) => console.log(JSON.stringify(text), Object.keys(options).join(), "=>", JSON.stringify(Bun.markdown.html(text, options)));
for (const text of ["#a", "##b c ##", "####### seven", "#", "# ok", "text\n#head\nmore", "> #q", "- #l", "```\n#x\n```", "#1", "\\#a", "#a#", "##", "   #x", "    #x", "a #b", "*#a*", "1. #a\n2. #b"]) show(text, { permissiveAtxHeaders: true });
for (const text of ["    code", "a\n\n    b\n\nc", "- a\n\n      b", "    - x", "\ta\n    b", "a\n    b", "        deep\n    less", "    ```\n    x\n    ```", "> \tx", "```\n    kept\n```"]) show(text, { noIndentedCodeBlocks: true });
for (const text of ["<div>\na *b*\n</div>", "a\n<div>\nb", "<!-- x -->", "<script>\n*a*\n</script>", "<b>x</b>", "- <div>x", "<div>\n\n- a\n</div>", "> <p>x", "```\n<div>\n```", "a < b"]) {
  show(text, { noHtmlBlocks: true });
  show(text, { noHtmlBlocks: true, noHtmlSpans: true });
}
