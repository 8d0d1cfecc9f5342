// expected: recorded from bun 1.4.5
// CookieMap: the order of changes, changes while it is walked through, mistakes; texts of Set-Cookie that no header may have.
const t = (n, f) => { try { console.log(n, JSON.stringify(f())); } catch (e) { console.log(n, "THROWS", e?.name, e?.code, e?.message); } };
t("changes", () => { const m = new Bun.CookieMap("dont_modify=ONE; do_modify=TWO; do_delete=THREE"); m.set("do_modify","FOUR"); m.delete("do_delete"); m.set("do_modify","FIVE"); return m.toSetCookieHeaders(); });
t("order", () => { const m = new Bun.CookieMap(); m.set("a","1"); m.delete("b"); m.set("c","2"); m.delete("d"); m.set("b","3"); m.delete("a"); return m.toSetCookieHeaders(); });
t("loop orig", () => { const m = new Bun.CookieMap(); for (let i=0;i<10;i++) m.set("k"+i,"v"); for (const k of m.keys()) m.delete(k); return [m.size, [...m.keys()]]; });
t("loop header", () => { const m = new Bun.CookieMap(Array.from({length:10},(_, i)=>"k"+i+"=v").join("; ")); for (const k of m.keys()) m.delete(k); return [m.size,[...m.keys()]]; });
t("loop both", () => { const m = new Bun.CookieMap(Array.from({length:6},(_, i)=>"k"+i+"=v").join("; ")); for (let i=3;i<9;i++) m.set("k"+i,"w"); for (const k of m.keys()) m.delete(k); return [m.size,[...m.keys()]]; });
t("set in loop", () => { const m = new Bun.CookieMap("a=1; b=2"); const seen=[]; let n=0; for (const k of m.keys()) { seen.push(k); if (n++<3) m.set("n"+n,"x"); } return [seen,[...m.keys()]]; });
t("forEach del", () => { const m = new Bun.CookieMap("a=1; b=2; c=3"); const seen=[]; m.forEach((v,k)=>{ seen.push(k); m.delete(k); }); return seen; });
t("num", () => new Bun.CookieMap(5).size); t("delete map", () => { const m = new Bun.CookieMap(); m.delete(m); }); t("delete {}", () => new Bun.CookieMap().delete({})); t("delete", () => new Bun.CookieMap().delete()); t("delete ''", () => new Bun.CookieMap().delete("")); t("del null", () => new Bun.CookieMap().delete(null)); t("del name ''", () => new Bun.CookieMap().delete({name:""}));
for (const v of [[2023,11,25], true, {}, "x", "2023-01-01", "Fri, 1 Jan 2100 00:00:00 GMT", null, undefined, NaN, new Date(NaN), Symbol("s"), 1n, () => 1]) t("expires " + (typeof v==="symbol"?"sym":typeof v==="bigint"?"big":JSON.stringify(v)), () => new Bun.Cookie("n","v",{expires:v}).expires ?? "none");
t("set expires", () => { const c = new Bun.Cookie("n","v"); c.expires = true; });
for (const s of ["name=value\nx","name=\u2603","name=value; 🍪=bad","name=value; Domаin=x","n\x00=v","name=v\x7f","name=v\t","name=é","=x","x","","a","name=v;Path=/\x01","\tname=v"]) t("parse " + JSON.stringify(s), () => Bun.Cookie.parse(s).toString());
t("ctor text", () => new Bun.Cookie("name=\u2603").toString());
