# expected: written by hand
# --no-orphans: what another user runs may not be ended, and is not waited for.
[ "$(id -u)" = 0 ] && command -v setpriv > /dev/null || exit 77
dir=$(mktemp -d)
cd "$dir"
chmod 755 .
unset BUN_FEATURE_FLAG_NO_ORPHANS
nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
# A program that becomes root, as sudo does.
cp "$(command -v setpriv)" become
chmod 4755 become
# Not where that is switched off, or where nobody else may run bao (by env: setpriv itself has root's rights until it is another program).
[ "$($nobody ./become --reuid=0 id -u 2> /dev/null)" = 0 ] && $nobody env "$BAO" --revision > /dev/null 2>&1 || { rm -r "$dir"; exit 77; }
cat > starts.js <<'END'
const shell = Bun.spawn({ cmd: ["./become", "--reuid=0", "sh", "-c", "echo $$; exec sleep 1000"], stdio: ["ignore", "pipe", "ignore"] });
const { value } = await shell.stdout.getReader().read();
process.stdout.write(value);
process.exit(3);
END
BAO_CACHE=0 timeout 60 $nobody env HOME="$dir" "$BAO" --no-orphans starts.js > pid; echo "exit code $?"
kill "$(cat pid)" && echo "ran"
cd /; rm -r "$dir"
