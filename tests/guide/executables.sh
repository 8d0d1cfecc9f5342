# The code blocks of docs/guide/executables.md do what the page says.
# expected: written by hand
"$BAO" support/run.ts executables
