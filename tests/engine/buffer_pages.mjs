// expected: written by hand
// Arrays of some kilobytes that are dropped at once use the same memory again: the system has not to give each page anew.
const numbers = Array.from({ length: 1000 }, (_, i) => (i * 7919) % 1000);
let sum = 0;
const run = (n) => {
  for (let i = 0; i < n; i++) sum += numbers.filter((x) => x % 3 === 0).length + numbers.map((x) => x + 1)[7];
};
run(20000);
const before = process.resourceUsage().minorPageFault;
run(40000);
const faults = process.resourceUsage().minorPageFault - before;
// Each round writes six pages or more.
console.log(sum / 60000, faults < 40000 || faults);
