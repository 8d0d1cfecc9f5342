// Small integer arrays: the most flips any permutation of n numbers needs.
function fannkuch(n) {
  const perm = new Array(n);
  const order = Array.from({ length: n }, (_, i) => i);
  const count = new Array(n).fill(0);
  let most = 0;
  let checksum = 0;
  let odd = false;
  for (let r = n; ; ) {
    for (; r !== 1; r--) count[r - 1] = r;
    for (let i = 0; i < n; i++) perm[i] = order[i];
    let flips = 0;
    for (let k = perm[0]; k !== 0; k = perm[0]) {
      for (let i = 0, j = k; i < j; i++, j--) {
        const t = perm[i];
        perm[i] = perm[j];
        perm[j] = t;
      }
      flips++;
    }
    if (flips > most) most = flips;
    checksum += odd ? -flips : flips;
    for (;;) {
      if (r === n) return [checksum, most];
      const first = order[0];
      for (let i = 0; i < r; i++) order[i] = order[i + 1];
      order[r] = first;
      if (--count[r] > 0) break;
      r++;
    }
    odd = !odd;
  }
}

console.log(fannkuch(10).join(" "));
