// What Bun adds to Node's resolution: TypeScript behind JavaScript names, extensions and directories in
// import, queries in both module systems. Not for Node; the output was reasoned and checked with Bun 1.4.
'use strict';
const path = require('node:path');
const { createRequire } = require('node:module');
const { pathToFileURL } = require('node:url');
const { tree } = require('./support/tree.js');

const ts = 'export default import.meta.url as string;';
const root = tree({
  'a.ts': ts,
  'b.tsx': ts,
  'm.mts': ts,
  'both.js': 'export default import.meta.url;',
  'both.ts': ts,
  'dir/index.ts': ts,
  'node_modules/p/package.json': { exports: { './x': './x.js' } },
  'node_modules/p/x.ts': ts,
  'main.cjs': 'exports.load = (s) => require(s); exports.get = (s) => import(s)',
});
const main = createRequire(path.join(root, 'x.js'))('./main.cjs');
const short = (text) => text.replace(pathToFileURL(root).href, '$');

(async () => {
  for (const specifier of [
    './a', './a.js', './a.jsx', './b', './b.js', './m.mjs', './both.js', './both', './dir', './dir/',
    'p/x', './a.ts?one',
  ]) {
    const required = short(main.load(specifier).default);
    const imported = short((await main.get(specifier)).default);
    console.log(`${specifier} -> ${required} ${imported}`);
  }
})();
