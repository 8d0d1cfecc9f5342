# Calls of everything that the built-in modules export, with odd arguments: nothing may end the process. Other seeds at each run; what crashed
# is printed with the command that repeats it.
set -u
"$BAO" ../../tools/monkey.mjs --seconds 30 2>/dev/null || echo "see above"
"$BAO" ../../tools/monkey.mjs --seconds 15 --stress 100 2>/dev/null || echo "see above"
echo "done"
