# process.report.reportOnFatalError: a report when the heap is full, as Nx asks for when it starts.
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
rm -r "$dir"
