# bao repl: piped, and on a terminal that python3 provides. Bun gives the same results, with prompts and colours of its own.
. ../cli/support/lib.sh
HOME=$PWD
export HOME
echo "--- piped"
"$BAO" repl <<'END'
1 + 1
const x: number = 5
const x = 6; x
interface Shape { side: number }
function area(shape: Shape): number {
  return shape.side ** 2
}
area({ side: 3 })
import { sep } from "node:path"
sep
import * as all from "node:path"; import def, { join as j } from "node:path"
[all.sep, def.sep, j("a", "b")]
await Promise.resolve(7)
_ + 1
class K {}
class K { static s = 1 }
K.s
throw new Error("oops")
_error.message
{ a: 1 }
Promise.reject(new Error("unhandled")); 2
await new Promise((done) => setTimeout(done, 1))
const text: string = `two
lines`
text
let bad: = 5
"last"
END
echo "exit $?"
command -v python3 >/dev/null || exit 0
cat >terminal.py <<'END'
import os, pty, re, select, sys
pid, fd = pty.fork()
if pid == 0:
    os.execv(os.environ["BAO"], ["bao", "repl"])
seen = ""
def wait(text):
    global seen
    while text not in seen:
        if not select.select([fd], [], [], 30)[0]:
            sys.exit("no %r in %r" % (text, seen))
        try:
            seen += os.read(fd, 65536).decode()
        except OSError:
            break
    seen = seen.split(text, 1)[1] if text in seen else ""
def say(keys, answer):
    os.write(fd, keys.encode())
    wait(answer)
    print(repr(keys), "gives", answer)
wait("> ")
say("40 + 2\r", "42")
say("[1,\r", "| ")
say("2].length * 50\r", "100")
say("\x1b[A" * 3 + "\r", "42")
say("encodeURIComp", "onent]")
say("\t", "onent]")
say("\r", "> ")
say("await new Promise(() => {})\r", "{})")
say("\x03", "interrupted")
say(".editor\r", "Ctrl+C to cancel)")
say("const a = 20\ra + 3\x04", "23")
say("ab\x03\x03", "To exit")
say(".history\r", "40 + 2")
os.write(fd, b"\x04")
while True:
    try:
        if not os.read(fd, 65536): break
    except OSError:
        break
print("exit", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
BAO=$BAO TERM=xterm NO_COLOR=1 python3 terminal.py
echo "--- history file"
cat .bun_repl_history | tr '\r' '~'
