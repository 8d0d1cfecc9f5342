// Bun.dns with what needs no name server. Recorded with Bun 1.4.5.
import { dns } from "bun";
console.log(Object.keys(dns).join(" "), dns.ADDRCONFIG, dns.ALL, dns.V4MAPPED);
const attempt = async (...args) => {
  try {
    console.log(JSON.stringify(await dns.lookup(...args)));
  } catch (error) {
    console.log(error.name, error.message, error.code, error.syscall);
  }
};
await attempt("127.0.0.1");
await attempt("::1");
await attempt("localhost", { family: 4 });
await attempt("localhost", { family: "IPv4", socketType: "tcp", backend: "libc", flags: dns.ADDRCONFIG });
await attempt();
await attempt("");
await attempt("localhost", { family: 5 });
await attempt("localhost", { backend: "x" });
await attempt("localhost", { socketType: "x" });
await attempt("localhost", { port: 99999 });
await attempt("localhost", { flags: "a" });
await attempt("localhost", { flags: 9999 });
await attempt("nope.invalid");
console.log(dns.prefetch("localhost", 80), Object.keys(dns.getCacheStats()).sort().join());
for (const args of [[], [5], ["a", "x"]]) {
  try {
    console.log(dns.prefetch(...args));
  } catch (error) {
    console.log(error.name, error.message, error.code);
  }
}
