// expected: recorded from bun 1.4.5. Bun.Cookie.parse takes only what a header can have.
for (const text of ["a=b; Path=/x", "a=é", "a=\u0100", " a=b", "a=b\t", "a=b\nSet-Cookie: c=d", "a=b\0", "a=😊"]) {
  try {
    console.log(JSON.stringify(text), Bun.Cookie.parse(text).value);
  } catch (error) {
    console.log(JSON.stringify(text), error.name, error.message);
  }
}
