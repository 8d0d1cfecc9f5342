# expected: written by hand (with Bun 1.4.5 a shell stays between them, and the program goes on)
# The last program of a script takes the place of the shell: signals to bao reach it and not a shell between them, and bao ends as it does.
. support/lib.sh
cat >program.sh <<'SH'
#!/bin/sh
trap 'echo terminated >> ended; exit 7' TERM
echo "$PPID" >started
while :; do sleep 0.05; done
SH
printf '#!/bin/sh\nkill -KILL $$\n' >killed.sh
chmod +x program.sh killed.sh
mkdir -p node_modules/.bin
mv program.sh killed.sh node_modules/.bin
file package.json <<'JSON'
{ "scripts": { "one": "program.sh --port=1 'a; (b)' > /dev/null", "killed": "  killed.sh", "variable": "COLOUR='a b' program.sh", "path": "./node_modules/.bin/program.sh", "list": "echo first && cd node_modules; ./.bin/program.sh 2>&1", "two": "program.sh && echo never", "quotes": "printf.sh 'a b' \"$HOME;\"" } }
JSON
"$BAO" run --silent one &
pid=$!
until_in started .
# The parent of the program is bao itself.
[ "$(cat started)" = "$pid" ] && echo "no shell between them"
kill -TERM "$pid"
ended
cat ended
# Also behind variables and other commands, and by its path.
for script in variable path list; do
  rm -f started ended node_modules/started node_modules/ended
  [ "$script" = list ] && place=node_modules || place=.
  "$BAO" run --silent "$script" &
  pid=$!
  until_in $place/started .
  [ "$(cat $place/started)" = "$pid" ] && echo "$script: no shell between them"
  kill -TERM "$pid"
  ended
  cat $place/ended
done
"$BAO" run --silent killed &
pid=$!
ended
printf '#!/bin/sh\nprintf "<%%s>\\n" "$@"\n' >node_modules/.bin/printf.sh
chmod +x node_modules/.bin/printf.sh
HOME=home "$BAO" run --silent quotes extra
