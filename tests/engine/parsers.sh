# Damaged inputs for every parser of tools/fuzz_parsers.mjs, a second or more each: no process may end, and no error may be of bao's own code. Other
# seeds at each run; what was found is printed with the command that repeats it.
set -u
"$BAO" ../../tools/fuzz_parsers.mjs --seconds 30 2>/dev/null || echo "see above"
echo "done"
