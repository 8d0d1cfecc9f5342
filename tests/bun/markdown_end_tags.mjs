// expected: recorded from bun 1.4.5
// Ends of blocks of HTML in capital letters end them, and what is shown keeps its letters.
for (const text of [
  "<SCRIPT>x</SCRIPT>\n# h",
  "<script>\n</Script>\n# h\n\n<STYLE>\n\na\n</STYLE> b\n# i",
  "<PRE>\na\n\n</pRe>\n# h\n\n`</PRE>` and </SCRIPT> b",
  "> <textarea>\n> </TEXTAREA>\n> # q",
  "    </SCRIPT>\n\n```\n</STYLE>\n```\n\n[</PRE>](/a \"</PRE>\")",
  "<SCRIPTS>\n</SCRIPT>\n# h\n\n# i",
  "[README](readme) ![ABC](abc 'abc') `Code code`\n\n[</Script>](</script> \"</SCRIPT>\") [A](</STYLE>)\n\n</SCRIPT>",
]) {
  console.log(JSON.stringify(Bun.markdown.html(text)));
}
