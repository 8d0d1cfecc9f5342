# bao upgrade: releases from files and from a registry, signatures and digests that are wrong, and executables that do not run.
. support/upgrade.sh

script 9.9.9; release new.tar.gz "$T/script" "bao 9.9.9 linux-x64"; cp "$T/releases/new.tar.gz" "$T/releases/9.9.9.tgz"
fresh
upgrade --help | head -3
upgrade --from "$T/releases/new.tar.gz"
upgrade --from "$T/releases/new.tar.gz" --public-key nonsense
now

echo == a newer release
signed --check --from "$T/releases/new.tar.gz"
now
signed --from "$T/releases/new.tar.gz"
now
"$T/bin/bao.previous" --version | mask
fresh
upgrade --public-key "$(tail -n 1 "$T/key/minisign.pub")" --from "$T/releases/new.tar.gz"
now

echo == what is refused
fresh
cp "$T/releases/new.tar.gz" "$T/releases/summed.tar.gz"
echo "0000000000000000000000000000000000000000000000000000000000000000  summed.tar.gz" >"$T/releases/summed.tar.gz.sha256"
signed --from "$T/releases/summed.tar.gz"
(cd "$T/releases" && sha256sum summed.tar.gz >summed.tar.gz.sha256)
signed --check --from "$T/releases/summed.tar.gz"
release other.tar.gz "$T/script" "bao 9.9.9 linux-x64" other
signed --from "$T/releases/other.tar.gz"
# The executable was changed behind the signature; then what is said about it.
release changed.tar.gz "$T/script" "bao 9.9.9 linux-x64"
echo 'echo evil' >>"$T/stage/bao-x/bao"; tar -czf "$T/releases/changed.tar.gz" -C "$T/stage" bao-x
signed --from "$T/releases/changed.tar.gz"
release renamed.tar.gz "$T/script" "bao 9.9.9 linux-x64"
sed -i 's/bao 9.9.9/bao 9.9.8/' "$T/stage/bao-x/bao.minisig"; tar -czf "$T/releases/renamed.tar.gz" -C "$T/stage" bao-x
signed --from "$T/releases/renamed.tar.gz"
echo nonsense >"$T/stage/bao-x/bao.minisig"; tar -czf "$T/releases/nonsense.tar.gz" -C "$T/stage" bao-x
signed --from "$T/releases/nonsense.tar.gz"
rm "$T/stage/bao-x/bao.minisig"; tar -czf "$T/releases/unsigned.tar.gz" -C "$T/stage" bao-x
signed --from "$T/releases/unsigned.tar.gz"
release mac.tar.gz "$T/script" "bao 9.9.9 darwin-arm64"
signed --from "$T/releases/mac.tar.gz"
release text.tar.gz "$T/script" "some other file"
signed --from "$T/releases/text.tar.gz"
head -c 100 "$T/releases/new.tar.gz" >"$T/releases/cut.tar.gz"
signed --from "$T/releases/cut.tar.gz"
echo text >"$T/releases/text"
signed --from "$T/releases/text"
signed --from "$T/releases/absent"
script 9.9.9 'echo "Illegal instruction" >&2; exit 3'; release broken.tar.gz "$T/script" "bao 9.9.9 linux-x64"
signed --from "$T/releases/broken.tar.gz"
script 9.9.8; release wrong.tar.gz "$T/script" "bao 9.9.9 linux-x64"
signed --from "$T/releases/wrong.tar.gz"
script 0.0.1; release old.tar.gz "$T/script" "bao 0.0.1 linux-x64"; cp "$T/releases/old.tar.gz" "$T/releases/0.0.1.tgz"
signed --from "$T/releases/old.tar.gz"
signed --rollback
signed --rollback --check
signed --rollback 9.9.9
signed 9.9.9 --from "$T/releases/new.tar.gz"
signed --stable --from "$T/releases/new.tar.gz"
signed 9.9.9 --canary
now
signed --force --from "$T/releases/old.tar.gz"
now

echo == a registry
script 9.9.10-canary.1; release 9.9.10-canary.1.tgz "$T/script" "bao 9.9.10-canary.1 linux-x64"
serve
at() { mode=$1; shift; signed "$@" --registry "http://localhost:$PORT/$mode/"; }
fresh
at good --check
upgrade --check --registry "http://localhost:$PORT/good/"
at same
at behind --check
at behind
at behind latest
at good
now
fresh; at good --canary; now
fresh; at good canary; now
fresh; at good v0.0.1; now
fresh
at good 1.2.3
at damaged
at old
at bare
upgrade --registry "http://localhost:$PORT/good/"
signed --from "http://localhost:$PORT/files/absent.tar.gz"
now
signed --from "http://localhost:$PORT/files/new.tar.gz"
now
# The settings of the project that is here do not count.
fresh
mkdir -p "$T/project"; echo "registry=http://localhost:1/" >"$T/project/.npmrc"
echo "registry=http://localhost:$PORT/good/" >"$HOME/.npmrc"
(cd "$T/project" && signed --check)
rm "$HOME/.npmrc"
