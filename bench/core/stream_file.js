// 256 MB of a file through createReadStream and createWriteStream (/dev/null).
const fs = require("node:fs");
const { pipeline } = require("node:stream");
const file = process.env.BENCH_TREE + "/large.bin";
let rounds = 0;
(function again() {
  pipeline(fs.createReadStream(file), fs.createWriteStream("/dev/null"), error => {
    if (error) throw error;
    if (++rounds < 16) again();
    else console.log(rounds);
  });
})();
