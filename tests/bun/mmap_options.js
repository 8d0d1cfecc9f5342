// Bun.mmap takes offset and size as the numbers that they stand for; process.execve refuses null bytes in the path.
// expected: recorded from bun 1.4.5
const fs=require('fs'); const p='/tmp/bao-mmap-options.bin'; fs.writeFileSync(p, Buffer.alloc(8192,65));
for (const o of [{offset:null},{size:null},{size:0},{offset:'x'},{offset:'4096'},{size:'10'},{size:1.5},{offset:NaN},{offset:{}},{size:true},{size:-1},{offset:undefined,size:undefined},null,256,'s',{size:Infinity},{size:1n}]) try { console.log(JSON.stringify(o,(k,v)=>typeof v==='bigint'?'big':v), Bun.mmap(p,o).length) } catch(e) { console.log(typeof o==='object'&&o&&Object.values(o)[0], e.name,e.message,e.code) }
fs.unlinkSync(p);
try {
  process.execve("/bin/sh\0x", ["sh"]);
} catch (error) {
  console.log(error.code);
}
