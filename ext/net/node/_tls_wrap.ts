/** The deprecated module `_tls_wrap`: the classes of node:tls. */
import tls from "node:tls";

process.emitWarning("The _tls_wrap module is deprecated. Use `node:tls` instead.", "DeprecationWarning", "DEP0192");

const { TLSSocket, Server, createServer, connect } = tls;
export default { TLSSocket, Server, createServer, connect };
