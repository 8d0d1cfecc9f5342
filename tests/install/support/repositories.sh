# Sourced by tests about git, after start.sh: bare repositories in $T/repos with commits that are the same everywhere, a server for them
# ($GIT_PORT, see git.mjs), and `git` calls of the package manager in $T/calls.
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.c GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.c
export GIT_AUTHOR_DATE='2020-01-01T00:00:00Z' GIT_COMMITTER_DATE='2020-01-01T00:00:00Z' GIT_CONFIG_NOSYSTEM=1
unset GITHUB_TOKEN GIT_SSH_COMMAND GIT_SSH GIT_ASKPASS
REAL_GIT=$(command -v git)
mkdir -p "$T/repos" "$T/bin"
repo() { # repo NAME: commits what is in $T/work as a new commit of NAME.git
  (cd "$T/work" && { [ -d .git ] || git -c init.defaultBranch=main init -q; } && git add -A -f && git commit -qm "$2" &&
    rm -rf "$T/repos/$1.git" && git clone -q --bare . "$T/repos/$1.git" && git -C "$T/repos/$1.git" update-server-info)
}
rm -rf "$T/work"; mkdir "$T/work"; cd "$T/work" || exit 1
echo '{"name":"tool","version":"1.0.0","dependencies":{"b":"^1.0.0"},"devDependencies":{"a":"1"},"bin":{"tool":"cli.js"}}' > package.json
printf '#!/usr/bin/env node\nconsole.log("tool", require("./index.js"));\n' > cli.js
echo 'module.exports = 1;' > index.js; mkdir lib; echo x > lib/x.js; ln -s index.js same.js; ln -s /etc/passwd out; ln -s lib dir
repo tool one; git tag v1.0.0
sed -i 's/1.0.0","dep/1.1.0","dep/' package.json; echo 'module.exports = 2;' > index.js; repo tool two; git tag -a v1.1.0 -m two; git branch old
echo 'module.exports = 3;' > index.js; repo tool three
rm -rf "$T/work"; mkdir "$T/work"; cd "$T/work" || exit 1; echo hello > README; repo bare one
rm -rf "$T/work"; mkdir "$T/work"; cd "$T/work" || exit 1
echo '{"name":"scripted","version":"1.0.0","scripts":{"postinstall":"echo post > post.txt","prepare":"echo made > made.txt"}}' > package.json
repo scripted one
printf '#!/bin/sh\nfor last; do :; done\ncase "$*" in *" clone "*) echo clone;; *" fetch "*) echo fetch;; *) echo local;; esac >> "%s"\nexec "%s" "$@"\n' "$T/calls" "$REAL_GIT" > "$T/bin/git"
chmod +x "$T/bin/git"
node "$SUPPORT/git.mjs" "$T/git-port" "$T/git-log" "$T/repos" &
GIT_PID=$!
trap 'kill $REGISTRY_PID $GIT_PID 2>/dev/null; rm -rf "$T"' EXIT
while [ ! -s "$T/git-port" ]; do sleep 0.05; done
GIT_PORT=$(cat "$T/git-port")
export GITHUB_API_URL="http://localhost:$GIT_PORT" PATH="$T/bin:$PATH"
R=$T/repos
cd "$T/app" || exit 1
gpm() { pm "$@" | sed "s/$GIT_PORT/GITPORT/g"; }
fresh() { rm -rf node_modules bun.lock package.json; echo "$1" > package.json; : > "$T/calls"; : > "$T/git-log"; }
lock() { sed -n '/"packages"/,$p' bun.lock | sed -e "s/$PORT/PORT/g" -e "s/$GIT_PORT/GITPORT/g" -e "s#$T#TMP#g" -e "s/sha512-[A-Za-z0-9+/=]*/sha512-X/g"; }
calls() { tr '\n' ' ' < "$T/calls"; echo; : > "$T/calls"; }
