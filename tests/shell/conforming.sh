# expected: standard output and whether it succeeds as in dash, bash --posix and busybox; messages by hand
# What POSIX asks of scripts (`set -o posix`): cases that Oils' suite (tools/shell_spec.py) has found.
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT; cd "$T"
t() { printf '== %s\n' "$1"; printf 'set -o posix; %s\n' "$1" >t.sh; "$BAO" t.sh 2>&1 || echo "failed"; }

t '[ "$PPID" -gt 1 ] && echo parent'
t 'HOME=/h; x=~:foo; y=~/a:~/b:~; echo $x $y'
t 'HOME=/h; readonly c=~/src; export e=~; echo $c $e; f() { local z=foo:~; echo $z; }; f'
t 'set -- ""; echo "${@:-minus}" "${@-unset}" "${@:+plus}" "${@+plus}"'
t 'set --; echo "${@-unset}" "${*:-unset}" "${@+set}"'
t 'set -- a b; echo "${@:-minus}" "${*:+plus}"'
t 'IFS=; set -- "" ""; echo "${*:-minus}" "${*-unset}"'
t "$(printf 'cat 3<<E <&3\nthree\nE')"
t "$(printf 'sh -c "cat <&8; cat <&0" 8<<E <<F\neight\nE\nzero\nF')"
t 's=$(printf "a\000b"); echo ${#s}; printf "c\000d\n" | { read v; echo ${#v}; }'
t 'trap "echo no" KILL && trap "echo no" STOP && echo ignored'
t 'trap "echo no" EXIT; trap 00 EXIT; echo none'
t 'trap -1 EXIT; echo $?'
t 'trap "echo INT" INT; trap "echo EXIT" 0; trap "echo b" TERM HUP; trap; trap - EXIT'
t 'type eval; type cd; type :'
t 'umask 027; umask; umask -S; umask g+w,o=rx; umask; umask u=; umask; umask a-w; umask'
t 'umask 077; >private; umask 0; >public; ls -l private public | cut -c 1-10'
t 'umask zz; [ $? != 0 ] && umask 1,2 || echo refused'
t 'v="a b"; echo hi >$v; cat "a b"; >one; echo star >o*; ls'
t 'foo=bar :; echo $foo; foo=baz eval "echo \$foo"; echo $foo; foo=no true; echo $foo'
t 'set -x; printf aaaa 2>trace; set +x; cat trace'
t 'readonly r=1; r=2; echo never'
t 'echo $((1 +)); echo never'
t 'while :; do echo once; break oops; done; echo never'
t 'eval() { echo function; }; echo never'
t 'hash -r && hash sh && hash cd && hash no-such-program || echo unknown'
t 'echo before; set -n; echo never'
t 'V=1 eval "V=2"; echo "$V"; U=1 unset U; echo "${U-unset}"'
t 'x=1 export x; env | grep "^x="; Q=1 exec env | grep "^Q="'
t 'R=1 readonly R; R=2; echo never'
