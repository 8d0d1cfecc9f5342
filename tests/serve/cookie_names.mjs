// Names that applications have, several cookies of one name, and values that are no text.
// expected: recorded from bun 1.4.5, but "%1" stays as it is
for (const name of ["foo,bar", "foo/bar", "foo@bar", "foo[bar", "foo:bar", 'foo"bar', "foo<bar", "foo\\bar"])
  console.log(new Bun.Cookie(name, "baz").toString());
for (const name of ["foo\n", "foo\u280a", "foo=bar", "foo;bar", "foo bar", "foo\tbar", "foo\x7f"]) {
  try {
    console.log(new Bun.Cookie(name, "baz").toString());
  } catch (error) {
    console.log(error.name, error.message);
  }
}
const map = new Bun.CookieMap("foo=a;bar=%1;foo=boo");
console.log(JSON.stringify([...map]), map.size, map.get("foo"), map.has("foo"), JSON.stringify(map));
map.set("foo", "z");
console.log(JSON.stringify([...map]), map.size);
map.delete("foo");
console.log(JSON.stringify([...map]), map.size, map.get("foo"));
const pairs = new Bun.CookieMap([["a", "1"], ["a", "2"]]);
console.log(JSON.stringify([...pairs.entries()]), pairs.get("a"), pairs.size);
