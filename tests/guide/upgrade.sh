# The code blocks of docs/guide/upgrade.md do what the page says.
# expected: written by hand
exec "$BAO" support/run.ts upgrade
