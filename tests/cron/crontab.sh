# expected: written by hand
# Jobs of the system's cron: the lines of the user's crontab, by a crontab program that keeps them in a file.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat > "$dir/crontab" <<'X'
#!/bin/sh
table=$(dirname "$0")/table
case $1 in
  -l) [ -e "$(dirname "$0")/broken" ] && { echo "disk error" >&2; exit 3; }
      cat "$table" 2>/dev/null || { echo "no crontab for you" >&2; exit 1; } ;;
  -) cat > "$table" ;;
esac
X
chmod +x "$dir/crontab"
echo 'export default { scheduled(c) { console.log(c.cron, c.type, typeof c.scheduledTime, this.x); }, x: 5 };' > "$dir/job.mjs"
echo 'module.exports = { async scheduled() { await 0; throw new Error("intentional"); } };' > "$dir/bad.cjs"
echo 'export const a = 1;' > "$dir/none.mjs"
cat > "$dir/register.mjs" <<'X'
import { readFileSync } from "node:fs";
const show = () => console.log(readFileSync(process.env.DIR + "/table", "utf8").replaceAll(process.env.DIR, "DIR").replaceAll(process.execPath, "BAO"));
console.log(await Bun.cron("./job.mjs", "  0  9 * jan MON-FRI ", "first"));
await Promise.all([Bun.cron("./job.mjs", "@daily", "second"), Bun.cron("./job.mjs", "*/15 1-5 13 */1 0-6", "third")]);
show();
await Bun.cron("./job.mjs", "*/30 * * * *", "first");
await Bun.cron.remove("second");
await Bun.cron.remove("none");
show();
try { Bun.cron("./it's.mjs", "* * * * *", "a"); } catch (error) { console.log(error.message); }
X
cd / || exit
export DIR="$dir" PATH="$dir:$PATH"
"$BAO" "$dir/register.mjs"
printf '# mine\n0 1 * * * true\n' > "$dir/table"
"$BAO" -e 'await Bun.cron(process.env.DIR + "/job.mjs", "@weekly", "x"); await Bun.cron.remove("x")' && cat "$dir/table"
touch "$dir/broken"
"$BAO" -e 'try { await Bun.cron.remove("x") } catch (error) { console.log(error.message) }' && cat "$dir/table"
PATH=/nowhere "$BAO" -e 'try { await Bun.cron.remove("x") } catch (error) { console.log(error.message) }'
"$BAO" run --cron-title=first "--cron-period=0 9 * * 1" "$dir/job.mjs"
"$BAO" run --cron-title=first "--cron-period=0 9 * * 1" "$dir/bad.cjs" 2>&1 | grep -c intentional
"$BAO" run --cron-title=first "--cron-period=0 9 * * 1" "$dir/none.mjs" 2>&1 | grep -o "Module does not export default.scheduled()" | head -1
"$BAO" run --cron-title=first "$dir/job.mjs" 2>&1
