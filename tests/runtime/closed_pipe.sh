# The reader goes away early: no report, no hang, no signal.
. support/lib.sh
echo 'for (let i = 0; i < 200000; i++) console.log("line " + i);' >"$dir/lines.js"
"$BAO" "$dir/lines.js" 2>"$dir/err" | head -1
cat "$dir/err"
# Writing itself reports EPIPE, to whom listens.
cat >"$dir/listen.js" <<'JS'
process.stdout.on("error", (error) => {
  console.error(error.code, error.syscall);
  process.exit(3);
});
setInterval(() => process.stdout.write("tick\n"), 5);
JS
{ "$BAO" "$dir/listen.js" 2>"$dir/err"; echo "exit code $?" >>"$dir/err"; } | head -1
cat "$dir/err"
# Standard output closed before the start.
echo 'console.log("lost"); console.error("kept");' >"$dir/none.js"
"$BAO" "$dir/none.js" 2>&1 >&-
