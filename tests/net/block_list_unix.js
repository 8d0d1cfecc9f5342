// A block list of a server that listens at a unix socket has no address to look at. The output is Node's.
const net = require("node:net");
const path = `${require("node:os").tmpdir()}/bao-block-${process.pid}`;
const blockList = new net.BlockList();
blockList.addAddress("127.0.0.1");
const server = net.createServer({ blockList }, (socket) => socket.end("served"));
server.on("drop", () => console.log("dropped"));
server.listen(path, () => {
  net.connect(path).on("data", (chunk) => console.log(`${chunk}`)).on("close", () => server.close()).on("error", (error) => console.log(error.code));
});
