# The code blocks of docs/guide/html.md do what the page says.
# expected: written by hand
exec "$BAO" support/run.ts html
