// node:net for browsers: what needs no socket.

const part = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const four = new RegExp(`^${part}(?:\\.${part}){3}$`);

function isIPv4(text: unknown): boolean {
  return four.test(String(text));
}

/** As the host of a URL, which browsers check. */
function isIPv6(text: unknown): boolean {
  const address = String(text).replace(/%[0-9a-zA-Z.:-]+$/, "");
  return /^[0-9a-f:.]+$/i.test(address) && address.includes(":") && URL.canParse(`http://[${address}]`);
}

function isIP(text: unknown): 0 | 4 | 6 {
  return isIPv4(text) ? 4 : isIPv6(text) ? 6 : 0;
}

function refuse(name: string): () => never {
  return () => {
    throw new Error(`net.${name} is not supported in browsers`);
  };
}

export default {
  isIP,
  isIPv4,
  isIPv6,
  connect: refuse("connect"),
  createConnection: refuse("createConnection"),
  createServer: refuse("createServer"),
};
