# expected: recorded from node 25.9.0
# node:test: a suite whose function is asynchronous runs its tests once, and in Node's order.
"$BAO" support/async_describe.mjs 2>&1 >/dev/null
