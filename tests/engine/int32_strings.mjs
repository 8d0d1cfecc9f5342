// Strings of integers, whose digits are made in a register (engine/overlay/patches/int32-strings.patch).
const out=[];let h=0;
for (const v of [0,1,9,10,99,100,255,256,999,1000,9999,10000,65535,65536,99999,100000,1234567,9999999,10000000,12345678,99999999,100000000,123456789,900000009,999999999,1000000000,1234567890,2147483647,-1,-9,-10,-255,-256,-99999999,-100000000,-999999999,-1000000000,-2147483647,-2147483648]) out.push(String(v), `<${v}>`, v.toString(), "" + v);
console.log(out.join(" "));
for (let i = -6000; i < 6000; i++) { const s = `${i*357100|0}`; if (+s !== (i*357100|0) || s !== JSON.stringify(i*357100|0)) console.log("bad", i); h = (h * 31 + s.length + s.charCodeAt(s.length>>1)) | 0; }
console.log(h);
const o = {}; for (let i = 0; i < 7000; i += 7) o[`${i}`] = i; console.log(Object.keys(o).length, o[6993], o["6993"], [1,2,3][`${2}`]);
