# expected: recorded from bun 1.4.5, which leaves what is below a shell if it is killed itself, and what scripts of --filter leave
# --no-orphans, its variable and its key: what a program or a script has started ends with it, and it ends with the process that started it.
dir=$(mktemp -d)
cd "$dir"
unset BUN_FEATURE_FLAG_NO_ORPHANS
# Whether a process has ended, or does so in a while.
gone() {
  for _ in $(seq 600); do
    case $(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) in ''|Z*|X*) return 0 ;; esac
    sleep 0.05
  done
  return 1
}
# Says what has become of the processes whose numbers stand in a file, and ends those that run.
tell() {
  for pid in $(cat "$2"); do
    if gone "$pid"; then echo "$1: gone"; else echo "$1: runs"; kill -9 "$pid"; fi
  done
}
# Waits for a file with a line in it.
await() { for _ in $(seq 600); do grep -q . "$1" 2>/dev/null && return; sleep 0.05; done; echo "no $1"; }

# The program starts a shell, that a process of its own; then it ends.
cat > ends.js <<'END'
const shell = Bun.spawn({ cmd: ["/bin/sh", "-c", "sleep 1000 & echo $! $$; wait"], stdio: ["ignore", "pipe", "ignore"] });
const { value } = await shell.stdout.getReader().read();
await Bun.write(process.env.PIDS, value);
shell.unref();
process.exit(3);
END
sed 's/^process.exit.*/setInterval(() => {}, 1000);/' ends.js > stays.js
PIDS=one "$BAO" --no-orphans ends.js; echo "exit code $?"
tell "the option" one
PIDS=two BUN_FEATURE_FLAG_NO_ORPHANS=1 "$BAO" run ends.js; echo "exit code $?"
tell "the variable" two
echo '[run]
noOrphans = true' > bunfig.toml
PIDS=three "$BAO" ends.js; echo "exit code $?"
tell "the key" three
rm bunfig.toml
# Without any of them they go on.
PIDS=four BUN_FEATURE_FLAG_NO_ORPHANS=0 "$BAO" ends.js; echo "exit code $?"
for pid in $(cat four); do kill -9 "$pid" && echo "without: ran"; done

# The process that started it is killed.
cat > starter.sh <<'END'
PIDS=$1 "$BAO" --no-orphans stays.js &
echo $! > own
wait
END
sh starter.sh five & starter=$!
await five
kill -9 "$starter"
tell "parent killed" own
tell "below it" five

# A script leaves a process that is in a session of its own and whose parent has ended. It waits for that: setsid may end first.
cat > package.json <<'END'
{ "name": "p", "workspaces": ["pkg"], "scripts": {
  "daemon": "setsid sh -c 'sleep 1000 & echo $! > six'; until [ -s six ]; do sleep 0.05; done; exit 4",
  "go": "sleep 1000 & echo $! > seven; wait"
} }
END
"$BAO" run --no-orphans --silent daemon; echo "exit code $?"
tell "daemon" six
sh -c '"$BAO" run --no-orphans --silent go & echo $! > own; wait' & starter=$!
await seven
kill -9 "$starter"
tell "parent of the script killed" own
tell "below the script" seven

# Scripts of packages, and programs of packages.
mkdir -p pkg node_modules/.bin
echo '{ "name": "pkg", "scripts": { "daemon": "setsid sh -c '"'sleep 1000 > /dev/null & echo \$! > ../eight'"'; until [ -s ../eight ]; do sleep 0.05; done" } }' > pkg/package.json
"$BAO" run --no-orphans --filter pkg daemon; echo "exit code $?"
tell "daemon of a package" eight
printf '#!/bin/sh\nsetsid sh -c "sleep 1000 & echo \\$! > nine"\nuntil [ -s nine ]; do sleep 0.05; done\nexit 5\n' > node_modules/.bin/prog
chmod +x node_modules/.bin/prog
"$BAO" run --no-orphans --silent prog; echo "exit code $?"
tell "daemon of a program" nine
cd /; rm -r "$dir"
