// expected: recorded from node 25.9.0
// What timingSafeEqual() takes for bytes, and its errors for everything else.
import crypto from "node:crypto";
const t = (...a) => {
  try {
    console.log(crypto.timingSafeEqual(...a));
  } catch (e) {
    console.log(e.name, e.code, e.message);
  }
};
const u = new Uint8Array([1, 2, 3]);
t(u, u);
t(u, new Uint8Array([1, 2, 4]));
t(u, new Uint8Array(2));
t("a", "a");
t("abc", u);
t(u, "abc");
t(null, null);
t(undefined, undefined);
t(u, undefined);
t({}, {});
t({ byteLength: 3 }, u);
t(u, { byteLength: 3 });
t(u.buffer, u);
t(new DataView(u.buffer), u.buffer);
t(new Uint16Array([1]), new Uint8Array([1, 0]));
t(1, 1);
t(new Uint8Array(0), new Uint8Array(0));
t(new Uint8Array(new SharedArrayBuffer(3)), u);
t();
t(Symbol.iterator, u);
// The bytes count, not what a program says of them.
const shown = (length, value) => Object.defineProperty(new Uint8Array(length), "byteLength", { value });
t(shown(4, 3), new Uint8Array(3));
t(new Uint8Array(3), shown(4, 3));
t(shown(3, 4), new Uint8Array(3));
t({ get byteLength() { throw new Error("asked") } }, u);
t(new Proxy(u, {}), u);
