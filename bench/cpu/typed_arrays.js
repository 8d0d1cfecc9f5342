// Bytes and numbers in typed arrays: a hash, a sieve, a blur, a matrix product, DataView.
function crcTable() {
  const table = new Uint32Array(256);
  for (let i = 0; i < 256; i++) {
    let c = i;
    for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    table[i] = c;
  }
  return table;
}

function crc(bytes, table) {
  let c = 0xffffffff;
  for (let i = 0; i < bytes.length; i++) c = table[(c ^ bytes[i]) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

function sieve(n) {
  const composite = new Uint8Array(n + 1);
  let count = 0;
  for (let i = 2; i <= n; i++) {
    if (composite[i]) continue;
    count++;
    for (let j = i * 2; j <= n; j += i) composite[j] = 1;
  }
  return count;
}

function blur(image, width, height) {
  const out = new Uint8ClampedArray(image.length);
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      let sum = 0;
      for (let dy = -1; dy <= 1; dy++) for (let dx = -1; dx <= 1; dx++) sum += image[(y + dy) * width + x + dx];
      out[y * width + x] = sum / 9;
    }
  }
  return out;
}

function multiply(a, b, n) {
  const c = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < n; k++) {
      const f = a[i * n + k];
      for (let j = 0; j < n; j++) c[i * n + j] += f * b[k * n + j];
    }
  }
  return c;
}

const bytes = new Uint8Array(4 << 20);
for (let i = 0; i < bytes.length; i++) bytes[i] = (i * 31) ^ (i >> 8);
const table = crcTable();
const results = [];
for (let i = 0; i < 12; i++) results[0] = crc(bytes, table);
results.push(sieve(8_000_000));
let image = new Uint8ClampedArray(1024 * 1024);
for (let i = 0; i < image.length; i++) image[i] = (i * 2654435761) >>> 24;
for (let i = 0; i < 12; i++) image = blur(image, 1024, 1024);
results.push(crc(image, table));
const a = Float64Array.from({ length: 300 * 300 }, (_, i) => i % 7);
const c = multiply(a, multiply(a, a, 300), 300);
results.push(c[45000]);
const view = new DataView(bytes.buffer);
let total = 0;
for (let round = 0; round < 4; round++) for (let i = 0; i + 8 < bytes.length; i += 6) total = (total + view.getInt32(i, true) + view.getUint16(i + 4)) | 0;
results.push(total);
console.log(results.join(" "));
