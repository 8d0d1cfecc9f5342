# Names of commands that Bun has not are those of what Bun runs by them: files, scripts of package.json, programs of packages.
cd "$(mktemp -d)" || exit
for name in cron inspect; do
  echo "console.log('file', process.argv.slice(2))" > $name.ts
  "$BAO" $name list -- --help
  rm $name.ts
  mkdir -p node_modules/.bin
  printf '#!/bin/sh\necho program "$@"\n' > node_modules/.bin/$name
  chmod +x node_modules/.bin/$name
  "$BAO" $name list
  echo "{ \"scripts\": { \"$name\": \"echo script\" } }" > package.json
  "$BAO" --silent $name list
  rm -r package.json node_modules
done
"$BAO" cron next 'wrong' 2>&1 | head -1
"$BAO" inspect 2>&1 | head -1
