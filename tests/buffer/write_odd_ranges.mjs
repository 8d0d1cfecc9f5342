// expected: recorded from node 25.9.0
// buf.utf8Write(text, offset, length) and its like with offsets and lengths that are no integers, or no numbers.
const text = "A".repeat(20);
const number = { [Symbol.toPrimitive]: () => 215 };
const odd = { none: undefined, NaN, "1.5": 1.5, "'2'": "2", function: function () {}, object: {}, number, "3": 3, "-1": -1, "7": 7, "100": 100 };
for (const method of ["utf8Write", "latin1Write", "asciiWrite"]) {
  for (const [offsetName, offset] of Object.entries(odd)) {
    const row = [];
    for (const [lengthName, length] of Object.entries(odd)) {
      const buffer = Buffer.from("string");
      try {
        row.push(`${lengthName}:${buffer[method](text, offset, length)}${buffer}`);
      } catch (error) {
        row.push(`${lengthName}:${error.code}`);
      }
    }
    console.log(method, offsetName, row.join(" ").replaceAll("ERR_BUFFER_OUT_OF_BOUNDS", "-"));
  }
}
// Ranges are looked at before the text.
for (const method of ["utf8Write", "latin1Write", "asciiWrite"]) {
  for (const args of [[5, 7], [5, 0, 7], [5, 0, 1]]) {
    try {
      Buffer.from("string")[method](...args);
    } catch (error) {
      console.log(method, args.join(), error.code);
    }
  }
}
