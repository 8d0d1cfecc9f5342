// Processes of bao's that may crash or hang, for the tools that look for such.
import { spawn } from "node:child_process";

/** A process's exit code, signal and the last `most` characters of what it printed; it is killed after `seconds`. */
export function outcome(words, options, seconds, most) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, words, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const take = (chunk) => (output = (output + chunk).slice(-most));
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    const limit = setTimeout(() => child.kill("SIGKILL"), seconds * 1000);
    let patience;
    child.on("exit", () => {
      clearTimeout(limit);
      // A grandchild may keep the pipes.
      patience = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, 1000);
    });
    child.on("close", (code, signal) => {
      clearTimeout(patience);
      resolve({ code, signal, output });
    });
  });
}
