# The code blocks of docs/guide/node-compatibility.md do what the page says.
# expected: written by hand
exec "$BAO" support/run.ts node-compatibility
