# nativeDependencies and ignoreScripts of package.json: commands are links to the executables of the package for this system, and install
# scripts that have nothing to do do not run. Recorded from Bun 1.4.5 (BAO=bun gives the same).
T0=$(mktemp -d)
cat > "$T0/packages.json" <<'END'
{
  "same": { "1.0.0": { "bin": { "same": "./bin/same.js" }, "optionalDependencies": { "same-system": "1.0.0" },
    "scripts": { "postinstall": "echo same >> $INIT_CWD/ran" }, "$files": { "bin/same.js": "#!/bin/sh\necho the script\n" } } },
  "same-system": { "1.0.0": { "os": ["linux", "darwin"], "cpu": ["x64", "arm64"], "$files": { "bin/same.js": "#!/bin/sh\necho the executable\n" } } },
  "root": { "1.0.0": { "bin": { "root-command": "bin/root.exe" }, "optionalDependencies": { "root-other": "1.0.0", "root-system": "1.0.0" },
    "$files": { "bin/root.exe": "#!/bin/sh\necho the stub\n" } } },
  "root-other": { "1.0.0": { "os": ["win32"], "cpu": ["x64"], "$files": { "root-command": "wrong" } } },
  "root-system": { "1.0.0": { "os": ["linux", "darwin"], "cpu": ["x64", "arm64"], "$files": { "root-command": "#!/bin/sh\necho the executable at the root\n" } } },
  "without": { "1.0.0": { "bin": { "without": "cli.js" }, "optionalDependencies": { "without-system": "1.0.0" },
    "$files": { "cli.js": "#!/bin/sh\necho the script, as there is no executable\n" } } },
  "without-system": { "1.0.0": { "os": ["linux", "darwin"], "cpu": ["x64", "arm64"] } },
  "esbuild": { "9.0.0": { "bin": { "esbuild": "bin/esbuild" }, "optionalDependencies": { "@esbuild/here": "9.0.0" },
    "scripts": { "postinstall": "echo esbuild >> $INIT_CWD/ran" }, "$files": { "bin/esbuild": "#!/bin/sh\necho the script\n" } } },
  "@esbuild/here": { "9.0.0": { "os": ["linux", "darwin"], "cpu": ["x64", "arm64"], "$files": { "bin/esbuild": "#!/bin/sh\necho esbuild itself\n" } } },
  "scripted": { "1.0.0": { "scripts": { "postinstall": "echo scripted >> $INIT_CWD/ran" } } }
}
END
export PACKAGES="$T0/packages.json"
. "$(dirname "$0")/support/start.sh"
trap 'kill $REGISTRY_PID 2>/dev/null; rm -rf "$T" "$T0"' EXIT
all='"dependencies":{"same":"1.0.0","root":"1.0.0","without":"1.0.0","esbuild":"9.0.0","scripted":"1.0.0"},"trustedDependencies":["same","esbuild","scripted"]'
show() {
  for name in same root-command without esbuild; do
    echo "$name: $(realpath --relative-to=. node_modules/.bin/$name | sed 's,.*/node_modules/,,;s,^node_modules/,,'): $(node_modules/.bin/$name)"
  done
  sort ran 2>/dev/null | sed 's/^/script of /'; rm -f ran
}
for linker in hoisted isolated; do
  echo "== $linker"
  rm -rf node_modules bun.lock
  echo "{\"nativeDependencies\":[\"same\",\"root\",\"without\"],$all}" > package.json
  pm plain install --linker $linker > "$T/out" 2>&1 || cat "$T/out"
  show
  echo "-- again, from the lockfile"
  rm -rf node_modules; pm plain install --linker $linker > "$T/out" 2>&1 || cat "$T/out"
  show
  echo "-- no list: esbuild"
  echo "{$all}" > package.json
  pm plain install --linker $linker > "$T/out" 2>&1 || cat "$T/out"
  rm -rf node_modules ran; pm plain install --linker $linker > "$T/out" 2>&1 || cat "$T/out"
  show
  echo "-- ignoreScripts"
  echo "{\"ignoreScripts\":[\"scripted\"],$all}" > package.json
  rm -rf node_modules; pm plain install --linker $linker > "$T/out" 2>&1 || cat "$T/out"
  show
done
