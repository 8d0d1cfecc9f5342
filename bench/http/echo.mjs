// Load on a WebSocket server that echoes: echo.mjs URL CONNECTIONS SECONDS. Every connection sends a text of 64 characters and waits for
// it. Prints {count, rate, p99 (ms), errors}.
const [, , url, connections, seconds] = process.argv;
const text = "x".repeat(64);
const times = [];
let count = 0;
let errors = "";
let open = 0;
let begin = 0;

function finish() {
  const took = (performance.now() - begin) / 1000;
  times.sort((a, b) => a - b);
  console.log(JSON.stringify({ count, rate: count / took, p99: times[Math.floor(times.length * 0.99)] ?? 0, errors }));
  process.exit(0);
}

for (let i = 0; i < Number(connections); i++) {
  const socket = new WebSocket(url);
  let sent = 0;
  const send = () => {
    sent = performance.now();
    socket.send(text);
  };
  socket.onopen = () => {
    open++;
    if (open === 1) {
      begin = performance.now();
      setTimeout(finish, Number(seconds) * 1000);
    }
    send();
  };
  socket.onmessage = (event) => {
    if (event.data !== text) errors = `a wrong answer: ${event.data}`;
    count++;
    // One in sixteen is enough for a percentile.
    if ((count & 15) === 0) times.push(performance.now() - sent);
    send();
  };
  socket.onerror = () => (errors = "a connection failed");
}
