// expected: recorded from node 25.9.0
// What a program asks for about source maps is what it is told, by both interfaces; off is accepted, too.
import m from "node:module";
console.log(process.sourceMapsEnabled, m.getSourceMapsSupport());
process.setSourceMapsEnabled(true); console.log(process.sourceMapsEnabled, m.getSourceMapsSupport());
m.setSourceMapsSupport(true,{nodeModules:true}); console.log(process.sourceMapsEnabled, m.getSourceMapsSupport());
m.setSourceMapsSupport(false); console.log(process.sourceMapsEnabled, m.getSourceMapsSupport());
process.setSourceMapsEnabled(false); console.log(process.sourceMapsEnabled);
try { process.setSourceMapsEnabled(1) } catch (e) { console.log(e.code) }
