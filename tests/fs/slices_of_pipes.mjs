// Slices of files that are pipes: what comes next, as many bytes as asked for, however it comes.
// expected: written by hand; the first two values are those of bun 1.4.5
import { spawn } from "node:child_process";
const program = `
  const { stdin } = Bun;
  console.log(await stdin.slice(0, 3).text(), await stdin.slice(0, 2).text(), await stdin.slice(2, 5).text());
  console.log((await stdin.slice(0, 100).bytes()).length, (await stdin.slice(0, 100).bytes()).length);
  await Bun.file("/").slice(0, 3).text().catch((error) => console.log(error.code));
`;
const child = spawn(process.execPath, ["-e", program], { stdio: ["pipe", "inherit", "inherit"] });
child.stdin.write("0123456");
setTimeout(() => child.stdin.end("789abcdef"), 100);
await new Promise((resolve) => child.on("exit", resolve));
