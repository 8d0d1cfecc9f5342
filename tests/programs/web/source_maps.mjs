import MagicString from "magic-string";
import { TraceMap, originalPositionFor } from "@jridgewell/trace-mapping";
import UglifyJS from "uglify-js";
const ms = new MagicString("const answer = 42;\nuse(answer);");
ms.overwrite(6, 12, "a").prepend("/* h */\n").append("\n// end");
const map = ms.generateMap({ source: "s.js", hires: true, includeContent: true });
console.log(ms.toString(), map.toString(), originalPositionFor(new TraceMap(map), { line: 3, column: 4 }));
console.log(
  UglifyJS.minify(
    "function f(longname) { if (longname > 1) { return longname * 2 } else { return 0 } } console.log(f(3), 1 + 2)",
    { toplevel: true },
  ).code,
  UglifyJS.minify("a b").error.message,
);
