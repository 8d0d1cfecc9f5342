import BigNumber from "bignumber.js";
import Decimal from "decimal.js";
import Big from "big.js";
import { all, create } from "mathjs";
console.log(
  new BigNumber("0.1").plus("0.2").toString(),
  new BigNumber(2).pow(200).toFixed(),
  new BigNumber("123456.789").toFormat(2),
  new BigNumber("ff", 16).toString(2),
  new BigNumber(1).div(3).toFixed(30),
  new BigNumber(NaN).isNaN(),
);
Decimal.set({ precision: 50 });
console.log(
  Decimal.sqrt(2).toString(),
  Decimal.exp(1).toString(),
  new Decimal("0xff.8").toNumber(),
  Decimal.sin(1).toFixed(20),
  new Decimal(1).div(7),
  new Decimal(12345).toSD(2).toString(),
  Decimal.acos(-1).toString(),
);
console.log(Big(2).sqrt().toString(), Big("1e500").times("1e-499").toString(), [Big(1.5)], String(Big(-7).mod(3)));
try {
  Big("z");
} catch (e) {
  console.log(e.name, e.message);
}
const math = create(all, { number: "BigNumber", precision: 40 });
const plain = create(all);
console.log(
  math.evaluate("1/3 + sqrt(2)").toString(),
  plain.evaluate("det([[1,2],[3,4]])"),
  plain.evaluate("2 inch to cm").toString(),
  plain.simplify("x^2 + 2 x + x * (3 + x)").toString(),
  plain.derivative("sin(2x)^2", "x").toString(),
  plain.parse("a(b)+c").toTex(),
);
console.log(
  plain.format(
    plain.inv([
      [1, 2],
      [3, 5],
    ]),
  ),
  plain.complex(1, 2).mul(plain.complex("3i")).toString(),
  plain.fraction(0.125).toFraction?.(),
  plain.factorial(20),
  plain.evaluate(["f(x)=x^2", "f(4)"])[1],
  plain.std([1, 2, 3, 4]),
  plain.unit("5 km/h").toNumber("m/s").toFixed(6),
  plain.gcd(12, 18),
  plain.range(0, 5).toString(),
);
for (const bad of ["1 +", "foo(1)", "[1,2] * [1,2,3]"])
  try {
    plain.evaluate(bad);
  } catch (e) {
    console.log(e.name, e.message);
  }
