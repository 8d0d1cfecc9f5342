/** Node's binding udp_wrap: a datagram socket that opens when it is bound. */
import { UDP as Handle } from "internal/net/native";

const net = native("net");

export class UDP extends Handle {
  constructor() {
    super(-1);
  }

  #bind(family: number, address: string, port: number, flags: number): number {
    const id = net.udpOpen(family);
    if (id < 0) return id;
    this.attach(id);
    return net.udpBind(id, address, port, flags);
  }

  bind(address: string, port: number, flags: number): number {
    return this.#bind(4, address, port, flags);
  }

  bind6(address: string, port: number, flags: number): number {
    return this.#bind(6, address, port, flags);
  }

  open(fd: number): number {
    const id = net.udpAdopt(fd);
    if (id < 0) return id;
    this.attach(id);
    return 0;
  }
}

export const constants = { UV_UDP_IPV6ONLY: 1, UV_UDP_REUSEADDR: 4, UV_UDP_REUSEPORT: 8 };
