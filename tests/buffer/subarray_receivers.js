// expected: recorded from node 25.9.0
// buf.subarray() of what is no buffer: other typed arrays have parts, everything else is a TypeError.
const { subarray } = Buffer.prototype;
const show = (name, receiver) => {
  try {
    const part = subarray.call(receiver, 2, 5);
    console.log(name, Buffer.isBuffer(part), part.length);
  } catch (e) {
    console.log(name, e.name);
  }
};
show("Uint8Array", new Uint8Array(8));
show("Uint8ClampedArray", new Uint8ClampedArray(8));
show("resizable", new Uint8Array(new ArrayBuffer(8, { maxByteLength: 16 })));
show("shared", new Uint8Array(new SharedArrayBuffer(8)));
show("ArrayBuffer", new ArrayBuffer(8));
show("DataView", new DataView(new ArrayBuffer(8)));
show("object", {});
show("alike", { length: 8, byteOffset: 0 });
show("null", null);
