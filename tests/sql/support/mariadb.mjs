// A MariaDB server of a test's own: in a temporary folder, on loopback and a unix socket, without a root password, with TLS if openssl
// makes a certificate. `start` gives undefined if the server is not installed.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./server.mjs";

const find = (name) => ["/usr/sbin", "/usr/bin", "/usr/local/bin", "/usr/libexec"].map((folder) => join(folder, name)).find(existsSync);

/** Runs a tool to its end; throws what it has said if it fails. */
function run(command, args) {
  const { status, signal, error, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${error ?? signal ?? status}\n${stderr}${stdout}`);
}

export async function start() {
  const [daemon, install] = [find("mariadbd"), find("mariadb-install-db")];
  if (daemon === undefined || install === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "bao-mariadb-"));
  const user = process.getuid() === 0 ? ["--user=mysql"] : [];
  if (process.getuid() === 0) run("chown", ["mysql", folder]);
  // The user of the server may not be allowed to write to /tmp, and the machine's own name may be unknown (--force). The files that
  // the server makes at first are as small as can be.
  const place = ["--no-defaults", `--datadir=${folder}/data`, `--tmpdir=${folder}`, "--innodb-buffer-pool-size=16M", "--innodb-log-file-size=4M", ...user];
  run(install, [...place, "--auth-root-authentication-method=normal", "--skip-test-db", "--force"]);
  const port = await freePort();
  const path = join(folder, "s.sock");
  let secure = [];
  try {
    run("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem"), "-days", "3", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]);
    if (process.getuid() === 0) run("chown", ["mysql", join(folder, "key.pem"), join(folder, "cert.pem")]);
    secure = [`--ssl-cert=${folder}/cert.pem`, `--ssl-key=${folder}/key.pem`];
  } catch {}
  const server = spawn(
    daemon,
    [...place, `--socket=${path}`, `--port=${port}`, "--bind-address=127.0.0.1", `--pid-file=${folder}/pid`, "--skip-log-bin", ...secure],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  let said = "";
  server.stderr.on("data", (bytes) => (said += bytes));
  const ended = new Promise((done) => server.on("exit", done));
  for (let tries = 0; ; tries++) {
    const isUp = await new Promise((done) => {
      const socket = net.connect(path);
      socket.on("data", () => (socket.destroy(), done(true))).on("error", () => {}).on("close", () => done(false));
      socket.setTimeout(1000, () => socket.destroy());
    });
    if (isUp) break;
    if (tries === 300 || server.exitCode !== null) throw new Error(`MariaDB does not start\n${said}`);
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
