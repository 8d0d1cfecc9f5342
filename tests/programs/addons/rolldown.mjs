import { rolldown } from "rolldown";
const files = {
  "a.ts": "import {x} from 'b.ts'; const n: number = x; console.log(n); import('c.ts')",
  "b.ts": "export const x = 1; export const unused = 2",
  "c.ts": "export default () => 'lazy'",
};
const bundle = await rolldown({
  input: "a.ts",
  plugins: [{ name: "v", resolveId: (i) => i, load: (i) => files[i], renderChunk: (code) => code + "// seen\n" }],
});
const { output } = await bundle.generate({ format: "esm", minify: false });
for (const o of output) console.log(o.type, o.fileName, o.type === "chunk" ? o.code : "");
await bundle.close();
try {
  const b = await rolldown({
    input: "z.ts",
    plugins: [
      {
        name: "v",
        resolveId: (i) => i,
        load() {
          throw new TypeError("from a plugin");
        },
      },
    ],
  });
  await b.generate();
} catch (e) {
  console.log(e.message.split("\n")[0], e.errors?.length);
}
