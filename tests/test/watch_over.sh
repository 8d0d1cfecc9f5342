# bao test --watch: a change right after the last line of a run breaks nothing off, so only what it reaches runs again.
. support/lib.sh
git init -q .
for name in a b; do echo "test('$name', () => {});" >$name.test.ts; done
git add . && git -c user.email=a@b.c -c user.name=n commit -qm one
echo '// more' >>a.test.ts
echo '// more' >>b.test.ts
mkfifo lines
"$BAO" test --changed --watch --no-clear-screen >/dev/null 2>lines </dev/null &
pid=$!
{
  while read -r line; do case $line in Ran*) break ;; esac; done
  echo '// again' >>a.test.ts
  while read -r line; do echo "$line"; case $line in Ran*) break ;; esac; done | mask
} <lines
kill $pid
