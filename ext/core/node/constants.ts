// `node:constants` (deprecated): the constants of os, fs and crypto in one frozen object.
import os from "node:os";

const all: Record<string, number | string> = {
  ...os.constants.dlopen,
  ...os.constants.errno,
  ...os.constants.priority,
  ...os.constants.signals,
  ...require("node:fs").constants,
  ...require("internal/crypto/constants").cryptoConstants(),
};
// Node's list of cipher suites as it is configured belongs to node:tls.
delete all.defaultCipherList;

export default Object.freeze(all);
