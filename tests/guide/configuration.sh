# The code blocks of docs/guide/configuration.md do what the page says.
# expected: written by hand
exec "$BAO" support/run.ts configuration
