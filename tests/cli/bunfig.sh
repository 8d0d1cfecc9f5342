# bunfig.toml: keys that concern programs and scripts, and mistakes in it.
. support/lib.sh
echo 'globalThis.order = ["preloaded"];' >pre.js
echo 'globalThis.order.push("from the command line");' >cli.js
echo 'console.log(globalThis.order, typeof DEBUG === "undefined" ? "none" : DEBUG, process.env.A, { a: { b: { c: {} } } });' >main.js
echo A=env >.env
file package.json <<'JSON'
{ "scripts": { "say": "echo said", "which": "node -p 'process.versions.bao !== undefined'" } }
JSON
config() {
  printf "$1" >bunfig.toml
  cat bunfig.toml
}
config 'preload = "./pre.js"\nenv = false\n[define]\nDEBUG = "[1]"\n[console]\ndepth = 1\n'
bao main.js
bao -r ./cli.js -d DEBUG=2 --console-depth=9 main.js
bao run main.js
config '[run]\nsilent = true\nbun = true\n'
bao run say
bao run which
config 'smol = "x"\n'
bao main.js
config 'not toml\n'
bao main.js | head -2
config '\n[loader]\n".x" = "nope"\n'
bao main.js
config '[run]\nshell = "fish"\n'
bao run say
rm bunfig.toml
echo 'preload = "./pre.js"' >other.toml
bao -c other.toml main.js
bao --config=other.toml main.js
bao --config=missing.toml main.js
# Only the working directory counts.
mkdir sub
echo 'preload = "./nowhere.js"' >bunfig.toml
bao --cwd sub ../main.js
