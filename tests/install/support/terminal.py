# Runs a command on a terminal of 24 x 100 and types keys one by one, each when the screen has been still for a while.
# With $WAIT the first key comes as soon as that text was seen. CI is unset: that is what a terminal is for.
# Usage: python3 terminal.py KEY,KEY,... COMMAND...   Prints the last screen, as lines without colours, and the exit code.
import fcntl, os, pty, re, select, signal, struct, sys, termios, time

NAMES = {"down": b"\x1b[B", "up": b"\x1b[A", "space": b" ", "enter": b"\r", "ctrlc": b"\x03", "esc": b"\x1b"}
ROWS, COLUMNS = 24, 100
keys = [key for key in sys.argv[1].split(",") if key]
wait = os.environ.get("WAIT", "")
os.environ.pop("CI", None)
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))

# A terminal that knows what the program uses: \r, \n, cursor up, erase line and below.
screen, row, column = [""], 0, 0
def feed(text):
    global row, column
    for part in re.findall(r"\x1b\[[?0-9;]*[A-Za-z]|[\r\n]|[^\x1b\r\n]+|\x1b", text):
        if part == "\r":
            column = 0
        elif part == "\n":
            row += 1
            if row == len(screen):
                screen.append("")
        elif part.startswith("\x1b["):
            code, kind = part[2:-1], part[-1]
            if kind == "A":
                row = max(0, row - int(code or 1))
            elif kind == "K":
                screen[row] = screen[row][:column]
            elif kind == "J":
                screen[row] = screen[row][:column]
                del screen[row + 1:]
        elif part != "\x1b":
            line = screen[row].ljust(column)
            screen[row] = line[:column] + part + line[column + len(part):]
            column += len(part)

end, seen, rest, log = time.time() + 40, time.time(), b"", b""
while time.time() < end:
    if select.select([terminal], [], [], 0.05)[0]:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        log += data
        text = (rest + data).decode("utf-8", "ignore")
        rest = b""
        feed(text)
        seen = time.time()
    still = b"Select packages" in log and time.time() - seen > 0.2
    if keys and (wait.encode() in log if wait else still):
        wait = ""
        key = keys.pop(0)
        if key == "term":
            os.kill(pid, signal.SIGTERM)
        else:
            os.write(terminal, NAMES.get(key, key.encode()))
        seen = time.time()
        if os.environ.get("FRAMES"):
            print("\n".join(line.rstrip() for line in screen).rstrip() + f"\n<{key}>")
else:
    os.kill(pid, signal.SIGKILL)
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
if os.environ.get("LOG"):
    # Everything that was ever shown.
    print(log.decode("utf-8", "replace").replace("\r", "\n"))
    sys.exit()
print("\n".join(line.rstrip() for line in screen).rstrip())
shown, hidden = log.rfind(b"\x1b[?25h"), log.rfind(b"\x1b[?25l")
print(f"exit {status}, cursor {'hidden' if hidden > shown else 'shown'}")
