// When a server in this process has nothing more to say to a bare socket: no time that is long enough on one machine and too short on
// another, but answers to requests that were sent later.
import net from "node:net";

/** A request of its own, until its answer has come and the connection is closed. */
function probe(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
    socket.resume();
    socket.on("error", () => {});
    socket.on("close", resolve);
  });
}

/**
 * Waits until `output()` has stayed the same while five later requests, one after the other, were answered; it must not be empty but
 * if nothing is to come (`isSilent`). Gives up after two minutes. `isOver()`: nobody waits any more.
 */
export async function settled(port, output, isOver, isSilent = false) {
  const end = Date.now() + 120_000;
  let last;
  for (let same = 0; same < 5 && !isOver() && Date.now() < end; ) {
    await probe(port);
    const now = output();
    same = now === last && (isSilent || now !== "") ? same + 1 : 0;
    last = now;
  }
}
