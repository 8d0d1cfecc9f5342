# Built-in modules are globals of -e and -p, as in Node 25.8.1.
. support/lib.sh
bao -p 'typeof crypto.createHash + typeof os.cpus'
bao -e 'const fs = require("fs"); console.log(typeof fs.readFileSync)'
bao -e 'var os = 5; console.log(os); let path = 3; console.log(path); function util() {}; console.log(typeof util)'
bao -e 'url = 4; console.log(url, events.name)'
# A script cannot have `using` outside of blocks, so the text is a module, as in Bun.
bao -e 'using a = { [Symbol.dispose]() { console.log("disposed") } }; console.log(typeof require, this)'
bao -p '{ using a = null } var using = 4; using'
# CommonJS by what it names: its last expression is what is printed.
bao -e 'using y = { [Symbol.dispose]() { console.log("disposed") } }; module.exports = 1; console.log("run")'
bao -p 'using y = null; module.exports = 7 // last'
bao -e '"use strict"; using y = null; module.exports = 7; try { undeclared = 1 } catch (error) { console.log(error.name) }'
