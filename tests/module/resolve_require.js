// require.resolve: files, directories, packages, links, lookup paths.
'use strict';
const path = require('node:path');
const { createRequire } = require('node:module');
const { tree, describe } = require('./support/tree.js');

const root = tree({
  'index.js': '',
  'a.js': '',
  'exact': '',
  'exact.js': '',
  'both.js': '',
  'both/index.js': '',
  'sp ace.js': '',
  'q?x.js': '',
  'data.json': '{}',
  'dir/index.js': '',
  'main/package.json': { main: 'lib' },
  'main/lib.js': '',
  'gone/package.json': { main: './gone.js' },
  'gone/index.js': '',
  'lost/package.json': { main: './lost.js' },
  'exported/package.json': { main: 'm.js', exports: './e.js' },
  'exported/m.js': '',
  'empty/readme.md': '',
  'real/pkg/index.js': '',
  'real/pkg/b.js': '',
  'link.js': { link: 'real/pkg/b.js' },
  'node_modules/linked': { link: '../real/pkg' },
  'node_modules/a/index.js': '',
  'node_modules/h.js': '',
  'node_modules/h/index.js': '',
  'node_modules/@s/p/index.js': '',
  'sub/node_modules/a/package.json': { name: 'a' },
  'sub/node_modules/b/index.js': '',
  'other/y.js': '',
  'other/node_modules/c/index.js': '',
});
const here = createRequire(path.join(root, 'x.js'));
const sub = createRequire(path.join(root, 'sub/deep/x.js'));
const short = (text) => text.replaceAll(root, '$');

const show = (require, specifier, options) => {
  let result;
  try {
    result = short(require.resolve(specifier, options));
  } catch (error) {
    result = describe(error, root);
  }
  console.log(`${short(specifier)} -> ${result}`);
};

for (const specifier of [
  './a.js', './a', './/a', './dir/../a.js', './missing/../a', './exact', './both', './both/',
  './sp ace.js', './q?x.js', './data', './dir', './dir/', './dir/.', './dir/..', '.', './', './main',
  './gone', './lost', './exported', './empty', './nope', './a.js/', './link', 'linked', 'linked/b',
  'h', '@s/p', '@s', 'nope', 'fs', 'node:fs', 'fs/', path.join(root, 'a'),
]) show(here, specifier);
console.log('from a subdirectory');
for (const specifier of ['a', 'b', 'c']) show(sub, specifier);
console.log('with paths');
const paths = [path.join(root, 'sub'), path.join(root, 'other')];
for (const specifier of ['./y', 'b', 'c', './nope']) show(here, specifier, { paths });
console.log(sub.resolve.paths('x').slice(0, 3).map(short));
console.log(sub.resolve.paths('./x').map(short), sub.resolve.paths('fs'));
try {
  here('./nope');
} catch (error) {
  console.log(short(error.message));
}
