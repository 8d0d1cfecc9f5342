// Explicit resource management, lowered: order, errors, async, null, loops.
Symbol.dispose ??= Symbol("dispose"); Symbol.asyncDispose ??= Symbol("asyncDispose");
const log = [];
const resource = (name, fail) => ({ name, [Symbol.dispose]() { log.push("-" + name); if (fail) throw new Error("dispose " + name) } });
const later = (name) => ({ name, async [Symbol.asyncDispose]() { await null; log.push("~" + name) } });
function plain() { using a = resource("a"), b = resource("b"); using none = null; log.push(a.name + b.name); return "ret" }
log.push(plain());
try { using a = resource("a", true); using b = resource("b", true); throw new Error("body") } catch (e) { log.push(e.name, e.error.message, e.suppressed.error.message, e.suppressed.suppressed.message) }
for (using x of [resource("x1"), resource("x2")]) log.push(x.name);
try { using bad = {} } catch (e) { log.push(e.name) }
async function asynchronous() { await using a = later("a"); await using b = resource("sync"); using c = resource("c"); log.push("body") }
await asynchronous();
{ using block = resource("block") }
console.log(log.join(" "));
