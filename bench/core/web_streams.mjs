// ReadableStream through a TransformStream, read with for await; TextDecoderStream.
let sum = 0;
let left = 100000;
const numbers = new ReadableStream({
  pull(controller) {
    if (left-- > 0) controller.enqueue(left);
    else controller.close();
  },
});
for await (const one of numbers.pipeThrough(new TransformStream({ transform(value, to) { to.enqueue(value * 2); } }))) sum += one;
const chunk = new TextEncoder().encode("Grüße 日本語 and text ".repeat(100));
let chunks = 10000;
const bytes = new ReadableStream({
  pull(controller) {
    if (chunks-- > 0) controller.enqueue(chunk);
    else controller.close();
  },
});
for await (const text of bytes.pipeThrough(new TextDecoderStream())) sum += text.length;
console.log(sum);
