const c = require("@node-rs/crc32");
console.log(c.crc32("hello"), c.crc32c(Buffer.from("hello")), c.crc32("world", c.crc32("hello ")));
