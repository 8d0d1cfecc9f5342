// What a worker leaves open is closed when it ends: descriptors of sockets, children, files and directories. Node closes them, too, but for
// what is opened in `trackUnmanagedFds: false`.
import { readdirSync, closeSync, fstatSync } from "node:fs";
import { connect } from "node:net";
import { once } from "node:events";
import { Worker } from "node:worker_threads";

const programs = {
  listener: "require('net').createServer().listen(0, '127.0.0.1', () => process.exit())",
  connection: `
    const server = require('net').createServer().listen(0, '127.0.0.1', () => {
      require('net').connect(server.address().port, '127.0.0.1', () => process.exit());
    })`,
  datagrams: "require('dgram').createSocket('udp4').bind(0, '127.0.0.1', () => process.exit())",
  request: `
    const server = require('http').createServer((request, response) => response.write('x')).listen(0, '127.0.0.1', () => {
      require('http').get({ host: '127.0.0.1', port: server.address().port }, (response) => response.on('data', () => process.exit()));
    })`,
  child: "require('child_process').spawn('sleep', ['0.01']).on('spawn', () => process.exit())",
  handle: "require('fs/promises').open('/dev/null').then((handle) => { globalThis.handle = handle; process.exit(); })",
  descriptor: "require('fs').openSync('/dev/null'); process.exit()",
  "descriptor, later": "require('fs').open('/dev/null', () => process.exit())",
  directory: "globalThis.dir = require('fs').opendirSync('/'); process.exit()",
  stream: "require('fs').createReadStream('/dev/zero').once('data', () => process.exit())",
};

const descriptors = () => readdirSync("/proc/self/fd").length;
for (const [name, program] of Object.entries(programs)) {
  const run = async () => {
    const worker = new Worker(program, { eval: true });
    await once(worker, "exit");
  };
  // The first one may open what the process keeps.
  await run();
  const before = descriptors();
  for (let i = 0; i < 8; i++) await run();
  // Operations of other threads may still be closing.
  for (let i = 0; i < 200 && descriptors() > before; i++) await new Promise((resolve) => setTimeout(resolve, 10));
  console.log(name, descriptors() <= before);
}

// The other end of a connection hears of it.
{
  const worker = new Worker(`
    const { parentPort } = require('worker_threads');
    const server = require('net').createServer((socket) => socket.write('hello'));
    server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`, { eval: true });
  const [port] = await once(worker, "message");
  const socket = connect(port, "127.0.0.1");
  await once(socket, "data");
  worker.terminate();
  socket.on("error", () => {});
  await once(socket, "close");
  console.log("connection closed");
}

// What is opened as a number stays open where the parent says so.
{
  const worker = new Worker("require('worker_threads').parentPort.postMessage(require('fs').openSync('/dev/null'))", {
    eval: true, trackUnmanagedFds: false,
  });
  const [[fd]] = await Promise.all([once(worker, "message"), once(worker, "exit")]);
  console.log("still open", fstatSync(fd).isCharacterDevice());
  closeSync(fd);
}
