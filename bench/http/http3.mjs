// HTTP/3 requests beside each other: each executable serves and asks, in all pairs.
//
//   BAO bench/http/http3.mjs EXE … [--requests 20000] [--concurrency 50]
//
// Prints requests a second and, which counts on a busy machine, microseconds of processor time a request of the server and of the
// client. The certificate is made by openssl.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const used = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};
const [role, ...rest] = process.argv.slice(2);

if (role === "--serve") {
  const [folder] = rest;
  const large = "x".repeat(100_000);
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    http3: true,
    tls: { key: readFileSync(join(folder, "key.pem")), cert: readFileSync(join(folder, "cert.pem")) },
    fetch(request) {
      const { pathname } = new URL(request.url);
      return new Response(pathname === "/used" ? String(used()) : pathname === "/large" ? large : "hello");
    },
  });
  console.log(server.port);
} else if (role === "--ask") {
  const [port, requests, concurrency] = rest.map(Number);
  const init = { protocol: "http3", tls: { rejectUnauthorized: false } };
  const ask = async (path) => (await fetch(`https://127.0.0.1:${port}${path}`, init)).text();
  for (const [path, count] of [["/", requests], ["/large", Math.ceil(requests / 20)]]) {
    for (let i = 0; i < 200; i++) await ask(path);
    const before = [Number(await ask("/used")), used(), performance.now()];
    let left = count;
    const one = async () => {
      while (left-- > 0) await ask(path);
    };
    await Promise.all(Array.from({ length: concurrency }, one));
    const seconds = (performance.now() - before[2]) / 1000;
    const mine = (used() - before[1]) / count;
    const theirs = (Number(await ask("/used")) - before[0]) / count;
    const text = `${Math.round(count / seconds).toLocaleString("en")} a second, server ${theirs.toFixed(1)} us, client ${mine.toFixed(1)} us`;
    console.log(`  ${path.padEnd(7)} ${text}`);
  }
  process.exit();
} else {
  const option = (name, otherwise) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : otherwise);
  const [requests, concurrency] = [option("--requests", "20000"), option("--concurrency", "50")];
  const executables = process.argv.slice(2).filter((word, at, all) => !word.startsWith("--") && !all[at - 1]?.startsWith("--"));
  const folder = mkdtempSync(join(tmpdir(), "http3-"));
  const names = ["-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem")];
  const made = spawnSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=localhost", ...names]);
  if (made.status !== 0) throw new Error(`openssl: ${made.error?.message ?? made.stderr}`);
  for (const server of executables) {
    for (const client of executables) {
      const serving = spawn(server, [import.meta.filename, "--serve", folder], { stdio: ["ignore", "pipe", "inherit"] });
      const port = await new Promise((resolve) => serving.stdout.once("data", (text) => resolve(String(text).trim())));
      console.log(`${client} asks ${server}`);
      spawnSync(client, [import.meta.filename, "--ask", port, requests, concurrency], { stdio: ["ignore", "inherit", "inherit"] });
      serving.kill("SIGKILL");
    }
  }
  rmSync(folder, { recursive: true });
}
