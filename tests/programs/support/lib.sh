# Shared by the tests of this folder: programs that use packages of the npm registry, run by bao, their output compared with
# the one recorded from Node 20, that of the addons from Node 25 (support/record.sh). The packages of a group are those of its
# package-lock.json or bun.lock. They are installed once, outside the checkout, under the hash of that file. Install scripts
# are not run. PROGRAMS_LINKER=store has bao install them with its linker of archives: the output must be the same.

# Programs that need a database start it with what the tests of Bun.sql have for that.
SQL_SUPPORT=$(cd ../sql/support && pwd)
export SQL_SUPPORT

# packages GROUP: prints the folder with the group's node_modules, installing it first if it is not there. A registry that
# cannot be reached fails the test: a message on standard error, status 1. A group with a bun.lock is installed by bao.
packages() {
  lock=$1/package-lock.json
  by=npm
  install="npm ci --ignore-scripts --no-audit --no-fund --loglevel=error"
  if [ -f "$1/bun.lock" ]; then
    lock=$1/bun.lock
    by=${BAO:-bao}
    install="$by install --frozen-lockfile --ignore-scripts"
  fi
  hash=$(sha256sum "$lock" | cut -c 1-16)
  if [ -n "${PROGRAMS_LINKER:-}" ]; then
    by=${BAO:-bao}
    install="$by install --linker=$PROGRAMS_LINKER --ignore-scripts"
    hash=$hash-$PROGRAMS_LINKER-hoisted
  fi
  store=${XDG_CACHE_HOME:-$HOME/.cache}/bao-build/programs
  if [ ! -d "$store/$hash" ]; then
    command -v "$by" >/dev/null 2>&1 || { echo "programs: $by is needed to install the packages of $1" >&2; return 1; }
    mkdir -p "$store" || return 1
    fresh=$(mktemp -d "$store/new.XXXXXX") || return 1
    cp "$1/package.json" "$lock" "$fresh"
    # Some programs import what only their packages depend on, as npm's layout lets them.
    [ -z "${PROGRAMS_LINKER:-}" ] || printf '[install]\npublicHoistPattern = "*"\n' > "$fresh/bunfig.toml"
    # Once more where the registry was slow.
    if ! (cd "$fresh" && { timeout 600 $install >install.log 2>&1 || timeout 600 $install >install.log 2>&1; }); then
      echo "programs: $by could not install the packages of $1; is the registry reachable?" >&2
      head -5 "$fresh/install.log" >&2
      rm -rf "$fresh"
      return 1
    fi
    # Whoever is first wins; what a slower one made is the same.
    mv -T "$fresh" "$store/$hash" 2>/dev/null || rm -rf "$fresh"
  fi
  echo "$store/$hash"
}

# stage GROUP DIRECTORY: the group's programs beside its packages, and in lib/ what programs of several groups use.
stage() {
  store_of_group=$(packages "$1") || return 1
  cp -R "$1/." "$2" && mkdir -p "$2/lib" && cp support/client.cjs "$2/lib" && ln -s "$store_of_group/node_modules" "$2/node_modules"
}

# each GROUP FUNCTION: calls FUNCTION NAME FILE for every program of the group.
each() {
  for file in "$1"/*.mjs "$1"/*.cjs "$1"/*.ts "$1"/*.tsx; do
    [ -f "$file" ] || continue
    name=$(basename "$file")
    "$2" "${name%.*}" "$name"
  done
}

# programs GROUP: runs every program of the group and says of each whether both streams and the exit code are as recorded.
programs() {
  group=$1
  dir=$(mktemp -d)
  trap 'rm -rf "$dir"' EXIT INT TERM
  stage "$group" "$dir" || exit 1
  check() {
    (cd "$dir" && timeout 60 "$BAO" "$2" >"$dir/$1.actual" 2>&1 </dev/null || echo "exit code $?" >>"$dir/$1.actual")
    if cmp -s "$group/$1.out" "$dir/$1.actual"; then
      echo "ok $1"
    else
      echo "not ok $1"
      diff "$group/$1.out" "$dir/$1.actual" | head -20
    fi
  }
  each "$group" check
}
