# expected: written by hand
# bao cron: jobs of the system's cron from the command line, by a crontab program that keeps them in a file.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat > "$dir/crontab" <<'X'
#!/bin/sh
table=$(dirname "$0")/table
case $1 in
  -l) cat "$table" 2>/dev/null || { echo "no crontab for you" >&2; exit 1; } ;;
  -) cat > "$table" ;;
esac
X
chmod +x "$dir/crontab"
echo 'export default { scheduled() { console.log("ran"); } };' > "$dir/job.mjs"
export PATH="$dir:$PATH"
cd "$dir" || exit
cron() { echo "--- $*"; "$BAO" cron "$@" 2>&1 | sed -e "s#$dir#DIR#g" -e "s#$BAO#BAO#g"; }
cron
cron add first "0 9 * jan MON-FRI" ./job.mjs
cron add the-second @daily job.mjs
printf '%s\n' "# mine" "0 1 * * * true" >> table
cron list
cron add first "*/5 * * * *" job.mjs
cron
cron remove first
cron remove first
cron
sed -e "s#$dir#DIR#g" -e "s#$BAO#BAO#g" table
cron add "not a title" @daily job.mjs
cron add a "61 * * * *" job.mjs
cron add a @daily missing.mjs
cron add a @daily
cron nonsense
cron list more
cron --help
for schedule in "0 9 1 1 *" "30 2 29 2 *"; do
  "$BAO" cron next "$schedule" -n 2 --tz UTC | cut -c 5-
done
"$BAO" cron next "0 9 1 7 *" --tz Europe/Berlin | cut -c 5-
TZ=Asia/Kolkata "$BAO" cron next "0 9 1 7 *" | cut -c 5-
cron next "0 0 30 2 *"
cron next "* * * * *" -n 0
# A script of package.json goes first.
echo '{ "scripts": { "cron": "echo script" } }' > package.json
"$BAO" --silent cron more
