# A standard error that takes nothing is no reason to end a program that is debugged. expected: recorded from node 25.9.0
bao="${BAO:-node}"
"$bao" --inspect=0 -e 'console.log("runs"); require("inspector").close()' 2>/dev/full; echo "exit $?"
"$bao" -e 'require("inspector").open(0); console.log("opened")' 2>/dev/full; echo "exit $?"
