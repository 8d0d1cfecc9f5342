// A MariaDB server of a test's own: in a temporary folder, on loopback and a unix socket, without a root password, with TLS if openssl
// makes a certificate. `start` gives undefined if the server is not installed.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const find = (name) => ["/usr/sbin", "/usr/bin", "/usr/local/bin", "/usr/libexec"].map((folder) => join(folder, name)).find(existsSync);
const freePort = () =>
  new Promise((done) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });

export async function start() {
  const [daemon, install] = [find("mariadbd"), find("mariadb-install-db")];
  if (daemon === undefined || install === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "bao-mariadb-"));
  const user = process.getuid() === 0 ? ["--user=mysql"] : [];
  if (process.getuid() === 0) execFileSync("chown", ["mysql", folder]);
  execFileSync(install, ["--no-defaults", `--datadir=${folder}/data`, "--auth-root-authentication-method=normal", "--skip-test-db", ...user], { stdio: "ignore" });
  const port = await freePort();
  const path = join(folder, "s.sock");
  let secure = [];
  try {
    execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem"), "-days", "3", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"], { stdio: "ignore" });
    if (process.getuid() === 0) execFileSync("chown", ["mysql", join(folder, "key.pem"), join(folder, "cert.pem")]);
    secure = [`--ssl-cert=${folder}/cert.pem`, `--ssl-key=${folder}/key.pem`];
  } catch {}
  const server = spawn(
    daemon,
    ["--no-defaults", `--datadir=${folder}/data`, `--socket=${path}`, `--port=${port}`, "--bind-address=127.0.0.1", `--pid-file=${folder}/pid`, `--tmpdir=${folder}`, "--innodb-buffer-pool-size=16M", "--skip-log-bin", ...secure, ...user],
    { stdio: "ignore" },
  );
  const ended = new Promise((done) => server.on("exit", done));
  for (let tries = 0; ; tries++) {
    const isUp = await new Promise((done) => {
      const socket = net.connect(path);
      socket.on("data", () => done(true)).on("error", () => done(false));
      setTimeout(() => socket.destroy(), 1000).unref();
    });
    if (isUp) break;
    if (tries === 300) throw new Error("MariaDB does not start");
    await new Promise((done) => setTimeout(done, 100));
  }
  return {
    port,
    path,
    folder,
    hasTls: secure.length > 0,
    kill() {
      server.kill("SIGKILL");
      return ended;
    },
    async stop() {
      server.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
