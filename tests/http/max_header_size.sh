# expected: recorded from node 25.9
for size in 0 1000; do "$BAO" --max-http-header-size=$size -p 'require("http").maxHeaderSize'; done
"$BAO" -p 'require("http").maxHeaderSize'
