module.exports = "inner";
