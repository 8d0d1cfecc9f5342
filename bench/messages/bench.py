"""Messages between threads side by side: BAO=path [BUN=path] [NODE=path] [DENO=path] [RUNS=5] python3 bench/messages/bench.py [WORD...]

Runs messages.mjs in every program, interleaved, and prints the median of each case and its ratio to bao's: nanoseconds per message posted
to a worker (and until all have arrived), per round trip to a worker, per message through a channel within a thread, per structuredClone, and
per spawn of `true`. Words choose cases by parts of their names. The runs are of wall time, so the machine should be idle.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys

RUNS = int(os.environ.get("RUNS", "5"))
SCRIPT = pathlib.Path(__file__).with_name("messages.mjs")


def main():
    programs = [("bao", [os.environ["BAO"]])]
    for name, words in (("bun", []), ("node", []), ("deno", ["run", "-A"])):
        if os.environ.get(name.upper()):
            programs.append((name, [os.environ[name.upper()], *words]))
    found = {}
    for _ in range(RUNS):
        for name, command in programs:
            output = subprocess.run(
                [*command, str(SCRIPT), *sys.argv[1:]], stdout=subprocess.PIPE, text=True, timeout=300, check=True
            ).stdout
            for line in output.splitlines():
                case = json.loads(line)
                found.setdefault(case["name"], {}).setdefault(name, []).append(case["ns"])
    print(f"{'ns':28}" + "".join(f"{name:>12}" for name, _ in programs) + "   bao / each")
    for case, by_program in found.items():
        medians = {name: statistics.median(values) for name, values in by_program.items()}
        ratios = " ".join(f"{medians['bao'] / value:6.2f}" for name, value in medians.items() if name != "bao")
        print(f"{case:28}" + "".join(f"{medians[name]:12.0f}" for name, _ in programs) + f"   {ratios}")
    strings = {name: values.get("bao", [0]) for name, values in found.items() if name.startswith("post string")}
    if "post string 3M" in strings and "post string 11" in strings:
        ratio = statistics.median(strings["post string 3M"]) / statistics.median(strings["post string 11"])
        print(f"bao: a string of 3 MB costs {ratio:.2f} times what one of 11 characters costs")


if __name__ == "__main__":
    main()
