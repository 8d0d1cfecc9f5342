# expected: written by hand
# Packages that are installed because a program imports them: --install, -i, --no-install, install.auto; which version that is.
here=$(cd "$(dirname "$0")" && pwd)
T=$(readlink -f "$(mktemp -d)")
# Packages of JavaScript that say which version of them was loaded. "tree" needs an older "leaf" than the latest; as a command, `bao x tsc`, "tsc" is typescript's.
node - "$T/packages.json" <<'JS'
const made = (name, version, { more = "", ...fields } = {}) =>
  ({ ...fields, files: { "index.js": `module.exports = "${name} ${version}"${more};\n`, "sub.js": `module.exports = "${name} ${version}, sub";\n` } });
require("fs").writeFileSync(process.argv[2], JSON.stringify({
  leaf: { "1.0.0": { ...made("leaf", "1.0.0"), tag: "next" }, "1.1.0": made("leaf", "1.1.0"), "2.0.0": made("leaf", "2.0.0") },
  tree: { "3.0.0": made("tree", "3.0.0", { dependencies: { leaf: "^1.0.0" }, more: ' + " with " + require("leaf")' }) },
  "@s/scoped": { "1.0.0": made("@s/scoped", "1.0.0", { exports: { ".": "./index.js", "./sub": "./sub.js" } }) },
  tsc: { "2.0.0": made("tsc", "2.0.0") },
  typescript: { "5.0.0": made("typescript", "5.0.0") },
  scripted: { "1.0.0": made("scripted", "1.0.0", { scripts: { postinstall: "echo ran > ran" }, hasInstallScript: true }) },
}));
JS
LOG="$T/log" node "$here/support/made-up.mjs" "$T/packages.json" "$T/port" &
REGISTRY_PID=$!
trap 'kill $REGISTRY_PID 2>/dev/null; rm -rf "$T"' EXIT
while [ ! -s "$T/port" ]; do sleep 0.05; done
unset NPM_CONFIG_REGISTRY HTTP_PROXY HTTPS_PROXY http_proxy https_proxy NPM_CONFIG_USERCONFIG BUN_OPTIONS BAO_AUTO_INSTALL
export BUN_CONFIG_REGISTRY="http://localhost:$(cat "$T/port")/" HOME="$T/home" TMPDIR="$T/tmp" BUN_INSTALL_CACHE_DIR="$T/cache"
mkdir -p "$HOME" "$TMPDIR" "$T/bare" "$T/full/node_modules/own" "$T/locked" "$T/declared/src"
cd "$T/bare" || exit 1
# run ARGUMENTS...: what is printed, without the place of the import, and what the registry was asked for.
run() {
  printf -- '-- %s\n' "$*"
  timeout 60 "$BAO" "$@" 2>&1 | sed -e "s#$T#TMP#g" -e 's/bunx-[0-9]*/bunx-UID/g' | grep -v '^$\|^ *^\|^    at\|^bao '
  sort "$T/log" 2>/dev/null | sed 's/^/   /'; rm -f "$T/log"
}
echo 'import leaf from "leaf"; console.log(leaf);' > leaf.mjs
echo 'console.log(require("tree"), require("leaf"));' > tree.cjs
echo 'import scoped from "@s/scoped/sub"; import old from "leaf@1.0.0"; import range from "leaf@^1"; import tag from "leaf@next"; console.log(scoped, old, range, tag);' > versions.mjs
run leaf.mjs
# Nothing is asked a second time, whatever imports it.
run leaf.mjs
run -e 'console.log(await import("leaf"), import.meta.resolve("leaf").replace(/.*bunx/, "bunx"), require.resolve("leaf").replace(/.*bunx/, "bunx"))'
# A package has its own packages beside it.
run tree.cjs
run versions.mjs
run -e 'new (require("worker_threads").Worker)("require(`worker_threads`).parentPort.postMessage(require(`leaf`))", { eval: true }).on("message", (text) => console.log(text, "in a worker"))'
# A day later the latest is asked for again; an exact version never is.
touch -d '2 days ago' "$TMPDIR"/bunx-*leaf*/package.json
rm -rf "$T/cache"
run leaf.mjs
run -e 'import "leaf@1.0.0"'
# Install scripts do not run.
run -e 'console.log(require("scripted"), require("fs").existsSync(require.resolve("scripted").replace("index.js", "ran")))'
# The name of a command of another package is that of a package here.
run -e 'console.log(require("tsc"))'
# An alias of the project itself is not asked for.
run -e 'try { require("~/leaf") } catch (error) { console.log(error.code) }'
echo "== switched off"
run --no-install -e 'require("tree/absent")'
run --install=disable -e 'try { require("tree") } catch (error) { console.log(error.code) }'
run --install=sometimes leaf.mjs
BAO_AUTO_INSTALL=disable run -e 'try { require("tree") } catch (error) { console.log(error.code) }'
BAO_AUTO_INSTALL=sometimes run leaf.mjs
ln -s "$BAO" node
echo "-- as node"; ./node -e 'try { require("tree") } catch (error) { console.log(error.code) }'
echo "== what does not exist, and what is no name"
run -e 'for (const name of ["absent", "absent", "../leaf", "leaf@workspace:*", "LEAF x", "-leaf"]) try { require(name) } catch (error) { console.log(error.code, error.message.split("\n").slice(-1)[0].replace(/localhost:\d+/, "HOST")) }'
run -e 'import "leaf/absent.js"'
# Directories of one project ask once for all.
mkdir -p one/a one/b
echo 'try { require("absent") } catch (error) { console.log(error.code) }' | tee one/a/index.js > one/b/index.js
run -e 'require("./one/a"); require("./one/b")'
# A registry that says nothing is waited for once, and not for long; what is there is found without it.
run -e 'for (const name of ["silent", "silent-too", "leaf"]) try { console.log(require(name)) } catch (error) { console.log(error.code, error.message.split("\n").slice(-1)[0]) }'
echo "== where there is a node_modules"
cd "$T/full" || exit 1
echo 'module.exports = "own";' > node_modules/own/index.js
cp ../bare/*.mjs ../bare/*.cjs .
echo 'console.log(require("own"));' > own.cjs
run -e 'try { require("leaf") } catch (error) { console.log(error.code) }'
run -i leaf.mjs
run --install=fallback -p 'require("own") + ", " + require("leaf")'
run --install=force leaf.mjs
mkdir node_modules/leaf && echo 'module.exports = "leaf of node_modules";' > node_modules/leaf/index.js
run -i leaf.mjs
run --install=force leaf.mjs
# What cannot be installed is taken from where it is.
run --install=force own.cjs
printf '[install]\nauto = "force"\n' > bunfig.toml
run leaf.mjs
run --no-install leaf.mjs
printf '[install]\nauto = 1\n' > bunfig.toml
run leaf.mjs
echo "== the version of the project"
cd "$T/locked" || exit 1
cp ../bare/leaf.mjs .
echo '{ "name": "p", "dependencies": { "leaf": "^1.0.0" } }' > package.json
cat > bun.lock <<'END'
{ "lockfileVersion": 1, "workspaces": { "": { "name": "p", "dependencies": { "leaf": "^1.0.0" } } },
  "packages": { "leaf": ["leaf@1.0.0", "", {}, "sha512-x"] } }
END
run leaf.mjs
rm bun.lock
run leaf.mjs
cd "$T/declared/src" || exit 1
cp "$T/bare/leaf.mjs" .
echo '{ "name": "q", "devDependencies": { "leaf": "1.1.0" } }' > ../package.json
run leaf.mjs
echo '{ "name": "q", "devDependencies": { "leaf": "file:./leaf" } }' > ../package.json
run -e 'try { require("leaf") } catch (error) { console.log(error.code, error.message.split("\n").slice(-1)[0]) }'
printf '[install.security]\nscanner = "scanner"\n' > ../bunfig.toml
run -e 'try { require("tree") } catch (error) { console.log(error.code, error.message.split("\n").slice(-1)[0]) }'
