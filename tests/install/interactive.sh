# `update --interactive` on a pseudo-terminal. The keys and what becomes of package.json are Bun 1.4.5's.
SUPPORT=$(cd "$(dirname "$0")" && pwd)/support
PACKAGES=$SUPPORT/people.json
export PACKAGES TERM=xterm
# On a terminal the summary has colours, and with them arrows.
unset NO_COLOR
. "$SUPPORT/start.sh"
on() {
  keys=$1
  shift
  timeout 60 python3 "$SUPPORT/terminal.py" "$keys" "$PM" "$@" --registry "http://localhost:$PORT/plain/" |
    sed -e 's/ \[[0-9.]*m*s\]//' -e 's/ v[0-9]*\.[0-9]*\.[0-9]*$//'
}
make() {
  rm -rf node_modules packages/*/node_modules bun.lock
  mkdir -p packages/one
  echo '{"name":"app","workspaces":{"packages":["packages/*"],"catalog":{"nometa":"^0.1.0"}},"dependencies":{"react":"^18.2.0","tilde":"~1.2.0","opt1":"^1.0.0"},"devDependencies":{"dev1":"1.0.0","@types/x":"1.0.0"}}' > package.json
  echo '{"name":"one","dependencies":{"react":"18.0.0","nometa":"catalog:"}}' > packages/one/package.json
  pm plain install --silent
}
show() {
  tr -d '\n ' < package.json
  echo
  tr -d '\n ' < packages/one/package.json
  echo
}
make
FRAMES=1 on down,space,down,l,a,n,i,up,space,enter update -i
show
on ctrlc update -i -r
on esc update -i
on enter update -i
show
on a,enter update -i -r --latest
show
on a,enter update -i -r
make
on space,enter update -i 't*'
make
on a,enter update -i -d
make
on a,enter update -i --filter one --dry-run
show
on term update -i
pm plain update -i </dev/null
