/** TLS inside of TLS, for a server behind a proxy over `https:`: a pair of sockets stands between the two sessions. */
import { table } from "internal/net/native";
import { ENCODING_UTF8, WRITTEN_LATER } from "internal/net/native_constants";

const net = native("net");

/** A socket whose bytes go to another one. Neither holds the loop: the connection at the far end of the pair does. */
class End {
  id: number;
  peer: End | undefined = undefined;
  context = undefined;
  onclose = undefined;
  private ending = false;

  constructor(id: number) {
    this.id = id;
    table[id] = this;
    net.setRef(id, false);
  }

  onread(bytes: ArrayBuffer | undefined, _errno: number): void {
    const peer = this.peer!;
    if (bytes === undefined) {
      this.close();
      peer.finish();
      return;
    }
    if (
      peer.id >= 0 &&
      net.write(peer.id, new Uint8Array(bytes), ENCODING_UTF8, undefined, ENCODING_UTF8) === WRITTEN_LATER
    )
      net.readStop(this.id);
  }

  written(errno: number): void {
    if (errno !== 0) this.broken();
    else if (this.ending) this.close();
    else if (this.peer!.id >= 0) net.readStart(this.peer!.id);
  }

  /** What TLS has to say after the handshake: a failure. */
  ontls(kind: number): void {
    if (kind === 1) this.broken();
  }

  private broken(): void {
    this.close();
    this.peer!.close();
  }

  /** Closes behind what waits to be written. */
  private finish(): void {
    if (this.id < 0) return;
    this.ending = true;
    if (net.shutdown(this.id) !== 1) this.close();
  }

  private close(): void {
    const { id } = this;
    this.id = -1;
    if (id >= 0) net.close(id, false);
  }
}

/** Gives the number of a socket whose bytes are those of socket `outer`, which has no other reader from now on; or a negative errno. */
export function relay(outer: number): number {
  const { 0: errno, 1: near, 2: far } = net.socketPair();
  if (errno !== 0) return errno;
  const one = new End(outer);
  const other = new End(far);
  one.peer = other;
  other.peer = one;
  net.readStart(outer);
  net.readStart(far);
  return near;
}
