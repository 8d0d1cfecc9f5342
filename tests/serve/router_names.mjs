// Bun.FileSystemRouter: names with broken brackets are errors, "index" at the end of a path is its folder, `style` is the prototype's.
// expected: recorded from bun 1.4.5, whose errors are BuildMessages
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
const make = (...files) => {
  const dir = mkdtempSync("/tmp/bao-router-");
  for (const file of files) {
    mkdirSync(dirname(`${dir}/${file}.tsx`), { recursive: true });
    writeFileSync(`${dir}/${file}.tsx`, "");
  }
  try {
    return new Bun.FileSystemRouter({ style: "nextjs", dir, fileExtensions: [".tsx"] });
  } finally {
    rmSync(dir, { recursive: true });
  }
};
const broken = ["[foo", "[]", "[...]", "[[foo]]", "[[...foo]", "[..foo]", "[.foo]", "[...a]/b", "[[...a]]/b", "[[a", "[...a", "a/[...b]/c"];
for (const name of broken) {
  try {
    console.log(name, Object.keys(make(name).routes));
  } catch (error) {
    console.log(name, error.message);
  }
}
for (const name of ["foo]", "a[b]", "[ ]", "[a]/[a]", "[[...foo]]"]) console.log(Object.keys(make(name).routes));
const router = make("index", "posts", "posts/[id]", "posts/hey");
for (const path of ["/", "/index", "/posts", "/posts/index", "/posts/", "/posts/hey/index", "/posts/x"])
  console.log(path, router.match(path)?.name);
console.log(router.style, Object.keys(router), "style" in Bun.FileSystemRouter.prototype);
