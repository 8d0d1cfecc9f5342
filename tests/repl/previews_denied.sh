# expected: written by hand
# Without --allow-inspector a REPL on a terminal has no previews, and works.
file=$(mktemp).mjs
trap 'rm -f "$file" "${file%.mjs}"' EXIT
cat > "$file" <<'END'
import { REPLServer } from "node:repl";
import { Stream } from "node:stream";
class Terminal extends Stream {
  readable = true;
  writable = true;
  text = "";
  write(chunk) {
    this.text += chunk;
    return true;
  }
  pause() {}
  resume() {}
}
const stream = new Terminal();
const repl = new REPLServer({ prompt: "> ", stream, terminal: true, useColors: false });
for (const part of ["1 + 1", "\n"]) stream.emit("data", part);
setTimeout(() => console.log(JSON.stringify(stream.text.replace(/\x1b\[[0-9;]*[A-Z]/g, ""))), 20);
setTimeout(() => process.exit(), 40);
END
"$BAO" --permission '--allow-fs-read=*' "$file"
"$BAO" "$file"
