const koffi = require("koffi");
const lib = koffi.load("libc.so.6");
const abs = lib.func("int abs(int)"),
  strlen = lib.func("size_t strlen(const char*)"),
  atof = lib.func("double atof(const char*)");
console.log(abs(-5), strlen("häß"), atof("2.5"));
const Cmp = koffi.proto("int Cmp(const void*, const void*)");
const qsort = lib.func("void qsort(_Inout_ int* base, size_t n, size_t size, Cmp* cmp)");
const a = new Int32Array([5, 1, 4]);
qsort(a, 3, 4, (x, y) => koffi.decode(x, "int") - koffi.decode(y, "int"));
console.log(a);
const tm = koffi.struct("tm", {
  tm_sec: "int",
  tm_min: "int",
  tm_hour: "int",
  tm_mday: "int",
  tm_mon: "int",
  tm_year: "int",
  tm_wday: "int",
  tm_yday: "int",
  tm_isdst: "int",
  z: "long",
  zone: "const char*",
});
const gmtime = lib.func("tm* gmtime(const int64_t*)");
console.log(koffi.decode(gmtime([86400n * 365n]), "tm").tm_year);
abs.async(-7, (e, r) => console.log(e, r));
try {
  abs("x");
} catch (e) {
  console.log(e.message);
}
