# Kinds of tests and of failures, with the default reporter; the same events as Node 25's (recorded by hand: Node 20, which is
# at hand, prints the failures twice). Durations and stacks are masked.
"$BAO" support/kinds.cjs 2>&1 | sed -e 's/([0-9.]*ms)/(N ms)/' -e 's/duration_ms [0-9.]*/duration_ms N/' -e '/^ *at /d' -e "s#$PWD/##g"
