// Recorded from Bun 1.4.5. Bun.semver over tables of versions and ranges.
const s=(v,...rs)=>{for(const r of rs)console.log(["s",v,r,+Bun.semver.satisfies(v,r)].join("\t"))};
const R=["1.0.0","=1.0.0","v1.0.0","^1.0.0","~1.0.0","1","1.x","1.0","*","","x",">=1.0.0","<2.0.0",">1","<=1","1.0.0 - 2.0.0","1 - 2","^0.0.1","^0.1","^0","~0","~1",">=1.0.0 <1.5.0","1.0.0 || 2.0.0","^1.0.0-beta.1","1.0.0-beta.1","~1.2.3-rc.1",">=1.0.0-alpha","^1.2","^1.x",">1.2.x","<1.2","~>1.2","> 1.0.0","^ 1.0.0","latest","foo","^1.0.0 || foo",">=1.x","<=1.2.x","=1.x","1.2.3.4","01.0.0","^1.2.3","^2","1.2.*","1.*.3","~1.2","<1.0.0-beta",">1.0.0-alpha <1.0.0","!=1.0.0","1.0.0,2.0.0","^1.0.0 ^1.2.0","workspace:*","npm:foo@1", "^0.0", "^0.0.0", "1 || ", " || ","^1.2.3-beta.2", "~1", ">=1.2.3-beta.0 <2","*-beta","1.2.3+build","^1.2.3+b"];
for (const v of ["1.0.0","1.2.3","2.0.0","0.0.1","0.1.5","1.0.0-beta.1","1.2.3-beta.3","v1.2.0","1.0.0+build","1.0","1","","foo","1.2.3.4","=1.0.0"," 1.0.0 ","1.0.0-alpha","01.0.0","1.2.3-rc.2"]) s(v,...R);
const o=(a,b)=>{let r;try{r=Bun.semver.order(a,b)}catch(e){r="E"}console.log(["o",a,b,r].join("\t"))};
const V=["1.0.0","1.0.1","1.0.0-alpha","1.0.0-alpha.1","1.0.0-alpha.beta","1.0.0-beta.2","1.0.0-beta.11","1.0.0-rc.1","1.0.0+a","1.0.0+b","v1.0.0","1.0","1","1.x","foo","","10.0.0","1.0.0-1","1.0.0-A","1.0.0-a-b"];
for(const a of V)for(const b of V)o(a,b);
const t=(f)=>{try{console.log(f.toString().slice(4), "=>", f())}catch(e){console.log(f.toString().slice(4),"!!",e.name,e.code,e.message)}};
