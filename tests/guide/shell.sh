# The code blocks of docs/guide/shell.md do what the page says.
# expected: written by hand
"$BAO" support/run.ts shell
