# The code blocks of docs/guide/debugger.md do what the page says.
# expected: written by hand
exec "$BAO" support/run.ts debugger
