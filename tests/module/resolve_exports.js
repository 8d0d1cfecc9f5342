// Package exports and imports, by require and by import.
'use strict';
const path = require('node:path');
const { createRequire } = require('node:module');
const { pathToFileURL } = require('node:url');
const { tree, describe } = require('./support/tree.js');

const file = 'module.exports = __filename';
const esm = 'export default import.meta.url';
const root = tree({
  'package.json': {
    name: 'self',
    exports: { '.': './self.js', './sub': './d/q.js' },
    imports: {
      '#a': './a.js',
      '#dep': 'plain',
      '#dep/*': 'plain/*.js',
      '#null': null,
      '#up': '../x.js',
      '#gone': './gone.js',
      '#d/*': './d/*',
    },
  },
  'self.js': file,
  'a.js': file,
  'd/q.js': file,
  'node_modules/plain/package.json': { main: 'm' },
  'node_modules/plain/m.js': file,
  'node_modules/plain/x.js': file,
  'node_modules/ex/package.json': {
    exports: {
      '.': { import: './i.mjs', require: './r.cjs' },
      './*': './lib/*.js',
      './f/*': './lib/*',
      './f/*.ts': './lib/t/*.js',
      './private/*': null,
      './list': [{ deno: './x.js' }, 'lib', './lib/a.js'],
      './nested': { node: { deno: './x.js' }, default: './lib/c.js' },
      './up': '../a.js',
      './modules': './node_modules/a.js',
      './plain': 'lib/a.js',
      './seven': 7,
      './encoded': './lib/%61.js',
    },
  },
  'node_modules/ex/i.mjs': esm,
  'node_modules/ex/r.cjs': file,
  'node_modules/ex/lib/a.js': file,
  'node_modules/ex/lib/c.js': file,
  'node_modules/ex/lib/t/q.js': file,
  'node_modules/sugar/package.json': { exports: './x.js' },
  'node_modules/sugar/x.js': file,
  'node_modules/none/package.json': { exports: {}, main: './x.js' },
  'node_modules/mixed/package.json': { exports: { '.': './x.js', import: './y.js' } },
  'main.cjs': 'exports.load = (s) => require(s); exports.get = (s) => import(s)',
});
const main = createRequire(path.join(root, 'x.js'))('./main.cjs');

const specifiers = [
  'ex', 'ex/a', 'ex/f/a.js', 'ex/f/q.ts', 'ex/list', 'ex/nested', 'ex/encoded', 'sugar', 'self',
  'self/sub', '#a', '#dep', '#dep/x', '#d/q.js', 'ex/private/p', 'ex/nope', 'ex/up', 'ex/modules',
  'ex/plain', 'ex/seven', 'ex/f/../a.js', 'ex/f/%2e%2e/a.js', 'sugar/x.js', 'none', 'self/nope',
  '#null', '#nope', '#up', '#gone', '#',
];

(async () => {
  for (const specifier of specifiers) {
    let result;
    try {
      result = main.load(specifier).replace(root, '$');
    } catch (error) {
      result = describe(error, root);
    }
    console.log(`require ${specifier}\n  ${result}`);
    try {
      const { default: value } = await main.get(specifier);
      result = value.replace(pathToFileURL(root).href, '$').replace(root, '$');
    } catch (error) {
      result = describe(error, root);
    }
    console.log(`import ${specifier}\n  ${result}`);
  }
  for (const load of [main.load, main.get]) {
    try {
      await load('mixed');
    } catch (error) {
      console.log(error.code);
    }
  }
})();
