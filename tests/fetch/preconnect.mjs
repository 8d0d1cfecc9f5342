// expected: written by hand
// fetch.preconnect: a request that comes while the connection is being opened takes it, one that is aborted leaves it to the next, and
// where the connection fails the request has one of its own.
let connections = 0;
const listener = Bun.listen({
  port: 0,
  hostname: "127.0.0.1",
  socket: {
    open: () => void connections++,
    data: (socket) => void socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
  },
});
const url = `http://127.0.0.1:${listener.port}/`;
fetch.preconnect(url);
console.log("at once", (await fetch(url)).status, connections);

connections = 0;
fetch.preconnect(url);
const abort = new AbortController();
const aborted = fetch(url, { signal: abort.signal }).catch((error) => error.name);
abort.abort();
console.log("aborted", await aborted, (await fetch(url)).status, connections);

connections = 0;
fetch.preconnect(url);
fetch.preconnect(url);
console.log("two requests", (await Promise.all([fetch(url), fetch(url)])).map((response) => response.status), connections);

// Nobody listens there any more.
listener.stop(true);
fetch.preconnect(url);
console.log("refused", await fetch(url).catch((error) => error.code));
for (const given of ["http://localhost:0", "ftp://x/", "nonsense"]) {
  try {
    fetch.preconnect(given);
  } catch (error) {
    console.log(given, error.name, error.message);
  }
}
