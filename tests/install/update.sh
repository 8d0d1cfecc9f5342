# What `update` edits and what it leaves alone. Recorded from Bun 1.4.5 (same lockfiles, same package.json, same lines with `^`).
PACKAGES=$(cd "$(dirname "$0")" && pwd)/support/people.json
export PACKAGES
. "$(dirname "$0")/support/start.sh"
make() {
  rm -rf node_modules bun.lock
  echo '{"name":"app","dependencies":{"deep":"1.0.0","tilde":"1.2.0","nometa":"0.1.0"},"devDependencies":{"dev1":"1.0.0"},"optionalDependencies":{"opt1":"1.0.0"},"overrides":{"react":"18.0.0"}}' > package.json
  pm plain install --silent
  echo '{"name":"app","dependencies":{"deep":"^1.0.0","tilde":"~1.2.0","nometa":">=0.1.0"},"devDependencies":{"dev1":"1.x"},"optionalDependencies":{"opt1":"1"}}' > package.json
  sed -i '/"overrides"/,/}/d' bun.lock
  pm plain install --silent
}
show() {
  grep -o '"[a-z0-9]*@[0-9.]*"' bun.lock | tr '\n' ' '
  echo
  tr -d '\n ' < package.json
  echo
}
try() {
  make
  echo "\$ update $*"
  pm plain update "$@"
  show
}
make
show
try deep
try react
try -d
try -p
try --no-optional
try --depth 0
try --depth 1
try
try -L
try -L -E
try -E
try '!tilde' '!opt1'
try 'd*'
try tilde@1.3.0
try tilde@latest
try tilde@^1
try react@19
try nosuch
try tilde --dry-run
try tilde -L --no-save
try tilde -L --lockfile-only
echo "--- overrides hold back, aliases keep their name"
rm -rf node_modules bun.lock
echo '{"name":"app","dependencies":{"react":"^18.0.0","tilde":"~1.2.0","alias":"npm:nometa@~0.1.0"},"overrides":{"react":"18.0.0"}}' > package.json
pm plain install --silent
pm plain update
pm plain update -L
show
