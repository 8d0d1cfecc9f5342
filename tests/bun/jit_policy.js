// expected: recorded from bun 1.4.5
// How much longer code stays in the interpreter: a finite number of at least 1, and what runs is the same.
for (const scale of [0.5, -1, NaN, Infinity, "2", undefined, null, 2n]) {
  try {
    console.log(Bun.unsafe.setJITPolicy(scale));
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
}
const fibonacci = (n) => (n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2));
for (const scale of [1000, 1.5, 1e300, 1]) console.log(Bun.unsafe.setJITPolicy(scale), fibonacci(18));
const { port1, port2 } = new MessageChannel();
port2.onmessage = ({ data }) => {
  console.log(data, fibonacci(18));
  port2.close();
};
port1.postMessage("later");
