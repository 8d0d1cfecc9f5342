/** Node's binding tcp_wrap, as far as it makes listeners. */
import { ListenHandle } from "internal/net/native";

const net = native("net");
export const constants = { SOCKET: 0, SERVER: 1, UV_TCP_IPV6ONLY: 1, UV_TCP_REUSEPORT: 2 };

/** A socket that listens where it is told to. */
export class TCP extends ListenHandle {
  constructor(_kind: number) {
    super(-1, true);
  }

  bind(address: string, port: number, flags = 0): number {
    const id = net.bindTcp(address, port, flags);
    if (id < 0) return id;
    this.attach(id);
    return 0;
  }

  listen(backlog = 511): number {
    const errno = this.id < 0 ? this.bind("0.0.0.0", 0) : 0;
    return errno < 0 ? errno : super.listen(backlog);
  }
}
