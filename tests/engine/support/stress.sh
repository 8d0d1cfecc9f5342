# Usage: sh support/stress.sh N AREA/PROGRAM...
# Runs programs of the other test folders with a collection at every N-th native call (and allocation of one); each must
# print what its own .out file says. A value that native code holds without a root is gone or moved then.
every=$1
shift
cd "$(dirname -- "$0")/../.." || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT INT TERM
for program in "$@"; do
  (
    cd "$(dirname -- "$program")" || exit 1
    BAO_GC_STRESS=$every
    export BAO_GC_STRESS
    case $program in
      *.sh) timeout 60 sh "$(basename -- "$program")" 2>&1 ;;
      *) timeout 60 "$BAO" "$(basename -- "$program")" 2>"$scratch/err" ;;
    esac
    code=$?
    [ $code = 0 ] || echo "exit code $code"
  ) >"$scratch/out" </dev/null
  if cmp -s "$scratch/out" "${program%.*}.out"; then
    echo "$program: same"
  else
    echo "$program: differs"
    diff "${program%.*}.out" "$scratch/out" | head -20
    [ -s "$scratch/err" ] && head -20 "$scratch/err"
  fi
done
