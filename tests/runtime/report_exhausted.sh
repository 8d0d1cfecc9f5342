# process.report.reportOnFatalError: a report when the heap is full, as Nx asks for when it starts; `--report-on-fatalerror` does the same.
dir=$(mktemp -d)
cat > "$dir/fill.mjs" <<'END'
process.report.reportOnFatalError = true;
process.report.compact = true;
process.report.filename = "report.json";
process.report.directory = process.argv[2];
console.log(process.report.reportOnFatalError);
const kept = [];
for (;;) kept.push({ a: [kept.length] });
END
"$BAO" --max-old-space-size=64 "$dir/fill.mjs" "$dir" 2>&1 | grep -v "max-old-space-size="
"$BAO" -e '
const { header, javascriptHeap, environmentVariables } = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
console.log(header.event, header.trigger, javascriptHeap.usedMemory > 10e6, "PATH" in environmentVariables);
' "$dir/report.json"
echo 'const kept = []; for (;;) kept.push({ a: [kept.length] });' > "$dir/flag.js"
(cd "$dir" && "$BAO" --max-old-space-size=64 --report-on-fatalerror --report-filename=flag.json --report-compact flag.js) > /dev/null 2>&1
"$BAO" -p 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")).header.trigger' "$dir/flag.json"
rm -r "$dir"
