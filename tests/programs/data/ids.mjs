import { v1, v3, v4, v5, v7, validate, version, parse, stringify, NIL } from "uuid";
import { nanoid, customAlphabet } from "nanoid";
import { nanoid as plain } from "nanoid/non-secure";
console.log(
  v5("hello.example.com", v5.DNS),
  v3("hello.example.com", v3.DNS),
  validate(v4()),
  [v1(), v4(), v7()].map(version),
  NIL,
);
console.log(
  parse("6ec0bd7f-11c0-43da-975e-2a8ad9ebae0b"),
  stringify(parse(NIL)),
  v4({ random: new Uint8Array(16).fill(7) }),
  v7({ msecs: 0, seq: 1, random: new Uint8Array(16) }),
);
try {
  parse("x");
} catch (e) {
  console.log(e.name, e.message);
}
console.log(
  nanoid().length,
  nanoid(10).length,
  /^[a-c]{8}$/.test(customAlphabet("abc", 8)()),
  plain(5).length,
  new Set(Array.from({ length: 5000 }, () => nanoid())).size,
);
