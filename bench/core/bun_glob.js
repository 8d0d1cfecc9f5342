// Bun.Glob over a tree of 20,000 files in 200 folders, and matching of names.
const cwd = process.env.BENCH_TREE;
let found = 0;
for (let i = 0; i < 6; i++) {
  for (const _ of new Bun.Glob("**/*.txt").scanSync({ cwd })) found++;
  for (const _ of new Bun.Glob("d1*/f[0-4]*.txt").scanSync({ cwd })) found++;
  for (const _ of new Bun.Glob("**/f{1,22,333}.{txt,js}").scanSync({ cwd })) found++;
}
const glob = new Bun.Glob("src/**/*.{test,spec}.{js,ts}");
for (let i = 0; i < 1000000; i++) if (glob.match(i & 1 ? "src/deep/path/file.test.ts" : "src/deep/path/file.ts")) found++;
console.log(found);
