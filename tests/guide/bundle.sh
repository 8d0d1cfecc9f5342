# The code blocks of docs/guide/bundle.md do what the page says.
# expected: written by hand
"$BAO" support/run.ts bundle
