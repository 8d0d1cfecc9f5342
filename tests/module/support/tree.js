// Writes a directory tree below a fresh temporary directory and runs a module inside it.
'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

/**
 * Files by relative path; objects are written as JSON, `{ link: target }` makes a symbolic link.
 * The directory is removed when the process ends. Returns its real path.
 */
exports.tree = function tree(files) {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'bao-resolve-')));
  process.on('exit', () => fs.rmSync(root, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(root, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    if (Object.hasOwn(Object(content), 'link')) fs.symlinkSync(content.link, file);
    else fs.writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  }
  return root;
};

/** First line of an error with its code, the root shown as `$`. */
exports.describe = function describe(error, root) {
  return `${error.code}: ${error.message.split('\n')[0]}`.replaceAll(root, '$');
};
