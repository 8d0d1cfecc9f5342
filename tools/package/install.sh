#!/bin/sh
# Installs bao: takes the release of this platform from URL (a folder with SHA256SUMS, by http or on this machine), checks it, and puts
# the executable into a folder. Nothing is changed unless everything is right.
#
#     sh install.sh [URL]
#
# BAO_INSTALL: where it goes (~/.bao, with the executables in bin/). BAO_PUBLIC_KEY: the key of minisign that the release must be signed
# with; it is checked if that program is installed, and has to be if the variable is set.
set -eu

URL=${1:-${BAO_DOWNLOAD:-@URL@}}
INSTALL=${BAO_INSTALL:-$HOME/.bao}
KEY=${BAO_PUBLIC_KEY:-@PUBLIC_KEY@}

die() { printf 'install.sh: %s\n' "$*" >&2; exit 1; }

case $URL in '' | @*) die "which release? sh install.sh URL" ;; esac

case $(uname -s) in
  Linux) os=linux ;;
  *) die "there is no bao for $(uname -s) yet; Linux on x86-64 is" ;;
esac
case $(uname -m) in
  x86_64 | amd64) cpu=x64 ;;
  *) die "there is no bao for processors $(uname -m) yet; Linux on x86-64 is" ;;
esac

T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# fetch NAME: takes a file of the release into $T.
fetch() {
  case $URL in
    http://* | https://*)
      if command -v curl >/dev/null 2>&1; then
        curl -fsSL --retry 3 -o "$T/$1" "${URL%/}/$1"
      elif command -v wget >/dev/null 2>&1; then
        wget -q -O "$T/$1" "${URL%/}/$1"
      else
        die "curl or wget is needed"
      fi
      ;;
    *) cp "${URL%/}/$1" "$T/$1" 2>/dev/null ;;
  esac
}

sum() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum "$1"
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256 "$1"
  else
    die "sha256sum or shasum is needed"
  fi | cut -d ' ' -f 1
}

fetch SHA256SUMS || die "cannot take ${URL%/}/SHA256SUMS"
line=$(grep -E "^[0-9a-f]{64}  bao-[^ ]*-$os-$cpu\.tar\.gz$" "$T/SHA256SUMS") || die "the release at $URL has no bao for $os-$cpu"
# Of several lines the last one.
line=${line##*"
"}
expected=${line%% *}
archive=${line##* }
fetch "$archive" || die "cannot take ${URL%/}/$archive"
found=$(sum "$T/$archive")
[ "$found" = "$expected" ] || die "$archive has the checksum $found, and SHA256SUMS says $expected: it was damaged on its way"
tar -xzf "$T/$archive" -C "$T"
release=$T/${archive%.tar.gz}
[ -f "$release/bao" ] || die "$archive holds no executable"

case $KEY in
  '' | @*) ;;
  *)
    if command -v minisign >/dev/null 2>&1; then
      minisign -Vqm "$release/bao" -x "$release/bao.minisig" -P "$KEY" || die "the signature of $archive is wrong"
    elif [ -n "${BAO_PUBLIC_KEY:-}" ]; then
      die "minisign is needed to check the signature (BAO_PUBLIC_KEY is set)"
    fi
    ;;
esac

version=$("$release/bao" --version) || die "the executable does not run on this system"

mkdir -p "$INSTALL/bin" "$INSTALL/completions"
# On the same file system first, so that the last step replaces the file at once.
cp "$release/bao" "$INSTALL/bin/.bao-install-$$"
chmod 755 "$INSTALL/bin/.bao-install-$$"
mv -f "$INSTALL/bin/.bao-install-$$" "$INSTALL/bin/bao"
ln -sf bao "$INSTALL/bin/baox"
cp "$release"/completions/* "$INSTALL/completions/"

printf 'bao %s is installed: %s\n' "$version" "$INSTALL/bin/bao"
case :$PATH: in
  *":$INSTALL/bin:"*) ;;
  *) printf 'Put it into your search path:\n\n  export PATH="%s:$PATH"\n' "$INSTALL/bin" ;;
esac
