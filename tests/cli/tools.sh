# check, fmt and lint: with the project's own TypeScript, Prettier and ESLint, by their names in node_modules/.bin; scripts go first.
. support/lib.sh
mkdir -p node_modules/.bin src
for name in tsc prettier eslint; do
  printf '#!/usr/bin/env node\nconsole.log("%s", ...process.argv.slice(2).map((word) => word.replace(process.cwd(), ".")));\n' $name >node_modules/.bin/$name
  chmod +x node_modules/.bin/$name
done
echo '{}' >package.json
bao check
echo '{}' >tsconfig.json
echo 'export {};' >src/a.ts
bao check
bao check --no-pretty --strict --target es2022
bao --cwd src check
bao check -b --pretty false
bao check src/a.ts src | sed -E "s/check-[0-9a-f]{16}/check-HASH/"
sed "s#$PWD#.#g" node_modules/.cache/bao/tsconfig.check-*.json
echo
bao check -p nowhere
bao check --project
bao fmt
bao fmt --check 'src/*.ts'
bao fmt --sort-imports
printf '[fmt]\nsemi = false\nprintWidth = 100\n' >bunfig.toml
bao fmt -l src
bao --cwd src fmt --config x
printf '[fmt]\nsemi = 1\n' >bunfig.toml
bao fmt
rm bunfig.toml
bao lint --fix src
echo '{ "scripts": { "lint": "echo the script" } }' >package.json
bao lint src
bao lint --no-script src
bao lint --no-script --help
bao help fmt
