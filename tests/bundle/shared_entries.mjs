// expected: written by hand
// With several entry points that share modules each bundle runs what it asks for and nothing of another one.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";

const dir = mkdtempSync(join(tmpdir(), "bao-shared-entries-"));
const cases = {
  "a module that is imported and loaded later": {
    "a.js": `import { v } from "./both.js"; console.log("a", require("./both.js").v, v);`,
    "b.js": `import "./c.js"; console.log("b");`,
    "c.js": `import { small } from "./small.js"; console.log("c"); import("./small.js").then((all) => console.log(all.small, small));`,
    "both.js": "export const v = 1;",
    "small.js": "export const small = 2;",
  },
  "an entry point that loads what it shares": {
    "a.js": `import { v } from "./both.js"; console.log("a", v.both); import("./later.js");`,
    "b.js": `import { v } from "./both.js"; console.log("b", v.both); import("./later.js");`,
    "c.js": `import("./a.js").then(() => console.log("c"));`,
    "both.js": `export const v = { both: 1 }; console.log("both");`,
    "later.js": `import { v } from "./both.js"; console.log("later", v.both);`,
  },
  "a script among modules": {
    "a.js": `const { v } = require("./both.js"); console.log("a", v);`,
    "b.js": `import all from "./both.js"; console.log("b", all.v);`,
    "c.js": `import * as a from "./a.js"; import("./both.js").then((all) => console.log("c", typeof a, all.default.v));`,
    "both.js": `console.log("both"); exports.v = 3;`,
  },
};
try {
  for (const [name, files] of Object.entries(cases)) {
    console.log(name);
    for (const [file, text] of Object.entries(files)) writeFileSync(join(dir, file), text);
    const entrypoints = ["a.js", "b.js", "c.js"].map((file) => join(dir, file));
    for (const minify of [false, true]) {
      const outdir = join(dir, minify ? "minified" : "plain");
      const { success } = await Bun.build({ entrypoints, outdir, splitting: true, target: "node", minify });
      for (const entry of success ? ["a.js", "b.js", "c.js"] : []) {
        const { stdout, stderr, status } = spawnSync(process.execPath, [join(outdir, entry)], { encoding: "utf8" });
        console.log(minify ? "minified" : "plain", entry, status, stdout.trim().split("\n").sort().join(", "), stderr);
      }
      rmSync(outdir, { recursive: true });
    }
  }
} finally {
  rmSync(dir, { recursive: true });
}
