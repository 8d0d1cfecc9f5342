const process = { own: true };
module.exports = { isMain: require.main === module, x: typeof X, own: process.own };
