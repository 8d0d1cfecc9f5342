# The code blocks of docs/guide/dev-server.md do what the page says.
# expected: written by hand
"$BAO" support/run.ts dev-server
