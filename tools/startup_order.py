"""Writes cli/startup.order: the functions that short programs run, for the linker.

Usage: tools/startup_order.py EXECUTABLE PROGRAM...   (needs valgrind and nm, and an executable that was linked with
BAO_SYMBOLS=1; a program that this executable has made by `build --compile` has its functions at the same addresses, and runs
by itself)

The functions of the first program come first, then what the next one has beside them, and last what the file has had and
none of them runs, if the executable still has it. Names of Rust functions carry a hash of their path, their types and their
crate, not of their code. That of a crate covers its dependencies in Cargo.toml, and theirs: run this after such a change.
The linker passes over names that are gone.
"""

import bisect
import pathlib
import subprocess
import sys
import tempfile


def symbols(executable):
    """Addresses and names of the executable's functions, by address."""
    listing = subprocess.run(["nm", "--defined-only", "-n", executable], capture_output=True, text=True, check=True).stdout
    found = [line.split(" ", 2) for line in listing.splitlines()]
    return [(int(address, 16), name) for address, kind, name in found if kind in "tTwW"]


def touched(executable, program):
    """Addresses of the instructions that a program runs."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "callgrind"
        with open(program, "rb") as file:
            command = [program] if file.read(4) == b"\x7fELF" else [executable, program]
        subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--dump-instr=yes", "--compress-pos=no",
             "--smc-check=all-non-file", *command],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for line in out.read_text().splitlines():
            if line.startswith("0x"):
                yield int(line.split()[0], 16)


def main():
    executable, *programs = sys.argv[1:]
    table = symbols(executable)
    addresses = [address for address, _ in table]
    order = pathlib.Path(__file__).parent.parent / "cli" / "startup.order"
    names = {}
    for program in programs:
        found = set()
        for address in touched(executable, program):
            index = bisect.bisect_right(addresses, address) - 1
            # Above the executable lies compiled JavaScript.
            if index >= 0 and address < addresses[-1] + 65536:
                found.add(index)
        for index in sorted(found):
            names[table[index][1]] = None
    there = {name for _, name in table}
    for name in order.read_text().splitlines():
        if name in there:
            names.setdefault(name)
    order.write_text("".join(f"{name}\n" for name in names))


main()
