import { rollup } from "rollup";
const files = {
  "a.js": "import {x,y} from 'b.js'; console.log(x); export default x+1;",
  "b.js": "export const x=1; export const y=function unused(){return 2};",
};
const bundle = await rollup({ input: "a.js", plugins: [{ name: "v", resolveId: (i) => i, load: (i) => files[i] }] });
const { output } = await bundle.generate({ format: "es", sourcemap: true });
console.log(output[0].code, output[0].map.mappings);
try {
  await rollup({ input: "c.js", plugins: [{ name: "v", resolveId: (i) => i, load: () => "let a = ;" }] });
} catch (e) {
  console.log(e.code, e.message);
}
