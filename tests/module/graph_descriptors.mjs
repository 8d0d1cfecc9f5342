// expected: recorded from bun 1.4.5
// What a disposed graph was still to get, and what it held of processes, leaves no descriptor open.
import { spawn } from "node:child_process";
import fs from "node:fs";
import { open, opendir } from "node:fs/promises";

const file = import.meta.filename;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const count = () => fs.readdirSync("/proc/self/fd").length;
const heard = [];

async function check(what, run) {
  const once = () => {
    using graph = new Bun.ModuleGraph();
    graph.run(run);
  };
  once();
  await sleep(50);
  const before = count();
  for (let i = 0; i < 10; i++) once();
  for (let i = 0; i < 100 && count() > before; i++) await sleep(10);
  console.log(what, count() <= before);
}

const ignore = { stdin: "ignore", stdout: "ignore", stderr: "ignore" };
await check("stdin", () => void Bun.spawn(["sleep", "5"], { ...ignore, stdin: "pipe" }));
await check("stdin that is full", async () => {
  await Bun.spawn(["sleep", "5"], { ...ignore, stdin: "pipe" }).stdin.write(new Uint8Array(1 << 22));
  heard.push("written");
});
await check("a stream as stdin", () => void Bun.spawn(["sleep", "5"], { ...ignore, stdin: new ReadableStream({}) }));
await check("stdout", () => void Bun.spawn(["sleep", "5"], { ...ignore, stdout: "pipe" }));
await check("stdout that is read", () => {
  const { stdout } = Bun.spawn(["cat", "/dev/zero"], { ...ignore, stdout: "pipe" });
  void stdout.getReader().read();
});
await check("stdout of a grandchild", async () => {
  await Bun.spawn(["sh", "-c", "sleep 5 & wait"], { ...ignore, stdout: "pipe" }).stdout.text();
  heard.push("text");
});
await check("channel", () => void Bun.spawn(["sleep", "5"], { ...ignore, ipc() {} }));
await check("node:child_process", () => void spawn("sleep", ["5"]));
await check("fs.open", () => fs.open(file, (error, fd) => fs.close(fd)));
await check("fs.promises.open", () => void open(file).then((handle) => handle.close()));
await check("fs.promises.opendir", () => void opendir(".").then((dir) => dir.close()));
await check("fs.createReadStream", () => void fs.createReadStream(file).resume());
console.log(heard);
