// 1 GB through a pipeline: Readable, Transform, PassThrough, Writable, chunks of 64 KiB; then many small objects.
const { Readable, Transform, PassThrough, Writable, pipeline } = require("node:stream");
const chunk = Buffer.alloc(65536, 1);
let left = 16384;
let length = 0;
pipeline(
  new Readable({ read() { this.push(left-- > 0 ? chunk : null); } }),
  new Transform({ transform(data, _encoding, done) { done(null, data); } }),
  new PassThrough(),
  new Writable({ write(data, _encoding, done) { length += data.length; done(); } }),
  error => {
    if (error) throw error;
    let i = 0;
    let sum = 0;
    pipeline(
      new Readable({ objectMode: true, read() { this.push(i++ < 300000 ? { i } : null); } }),
      new Transform({ objectMode: true, transform(data, _encoding, done) { done(null, data); } }),
      new Writable({ objectMode: true, write(data, _encoding, done) { sum += data.i; done(); } }),
      failed => {
        if (failed) throw failed;
        console.log(length, sum);
      },
    );
  },
);
