# expected: recorded from bun 1.4.5. A peer of the project takes the newest version that a member has, whichever comes first.
. "$(dirname "$0")/support/start.sh"
for versions in "1.0.0 1.5.0 2.0.0" "1.0.0 2.0.0 1.5.0" "2.0.0 1.5.0 1.0.0" "1.5.0 1.0.0 1.0.0"; do
  rm -rf ./*
  echo '{"name":"app","peerDependencies":{"b":">=1.0.0"},"workspaces":["p","q","r"]}' > package.json
  set -- $versions
  for member in p q r; do
    mkdir $member
    echo "{\"name\":\"$member\",\"version\":\"1.0.0\",\"dependencies\":{\"b\":\"$1\"}}" > $member/package.json
    shift
  done
  pm plain install --lockfile-only > /dev/null
  grep -o '^    "[a-z/]*b": \["b@[0-9.]*' bun.lock
done
