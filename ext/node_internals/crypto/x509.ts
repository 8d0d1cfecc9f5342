// What Node's tests ask of require("internal/crypto/x509") with --expose-internals.
export { isX509Certificate } from "internal/crypto/x509";
