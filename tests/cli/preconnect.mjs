// expected: written by hand
// --sql-preconnect, --redis-preconnect and --fetch-preconnect connect before the program asks, and a server that hangs up is no error.
const cases = {
  "--sql-preconnect": (port) => ({ DATABASE_URL: `postgres://127.0.0.1:${port}/name` }),
  "--redis-preconnect": (port) => ({ REDIS_URL: `redis://127.0.0.1:${port}` }),
  "--fetch-preconnect": () => ({}),
};
const program = 'setTimeout(() => console.log("program"), 10)';
for (const [option, variables] of Object.entries(cases)) {
  for (const given of [true, false]) {
    const connected = Promise.withResolvers();
    let connections = 0;
    const listener = Bun.listen({
      port: 0,
      hostname: "127.0.0.1",
      socket: {
        open(socket) {
          connections++;
          socket.end();
          connected.resolve();
        },
        data() {},
      },
    });
    const value = option === "--fetch-preconnect" ? [`--fetch-preconnect=http://127.0.0.1:${listener.port}`] : [option];
    const child = Bun.spawn([process.execPath, ...(given ? value : []), "-e", program], {
      env: { ...process.env, ...variables(listener.port) },
      stderr: "inherit",
    });
    const text = await child.stdout.text();
    const code = await child.exited;
    if (given) await connected.promise;
    console.log(option, given, text.trim(), code, connections > 0);
    listener.stop(true);
  }
}
// A URL that is none of HTTP.
for (const url of ["there", "ftp://there"]) {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, `--fetch-preconnect=${url}`, "-e", program]);
  console.log(exitCode, `${stderr}`.trim());
}
