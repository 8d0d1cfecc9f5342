exports.inner = require("./inner.cjs");
exports.made = require.resolve("./inner.cjs").endsWith("inner.cjs");
exports.text = module.filename.endsWith("imported.cjs");
