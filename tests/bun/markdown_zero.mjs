// expected: recorded from bun 1.4.5. A zero in a document is an unknown character (CommonMark, 2.3).
console.log(JSON.stringify(Bun.markdown.html("a\0b\n")));
console.log(JSON.stringify(Bun.markdown.ansi("# a\0b\n", { colors: false })));
console.log(JSON.stringify(Bun.markdown.render(Buffer.from("a\0b"), { paragraph: (text) => text })));
