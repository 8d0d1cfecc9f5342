/** Node's internal/dgram, as far as bao has it. */
import { kState } from "internal/net/dgram_state";
import { UDP as UDPWrap } from "internal/node_internals/udp_wrap";

/** A handle for a descriptor, or bound to an address, or neither; a negative errno. */
function _createSocketHandle(
  address: string,
  port: number,
  type: string,
  fd?: number,
  flags?: number,
): UDPWrap | number {
  const handle = new UDPWrap();
  let errno = 0;
  if (typeof fd === "number" && fd > 0) errno = handle.open(fd);
  else if (port || address)
    errno =
      type === "udp6" ? handle.bind6(address, port || 0, flags ?? 0) : handle.bind(address, port || 0, flags ?? 0);
  if (errno === 0) return handle;
  handle.close();
  return errno;
}

export default { kStateSymbol: kState, _createSocketHandle };
