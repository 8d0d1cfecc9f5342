module.exports = __filename.split("/").pop()
