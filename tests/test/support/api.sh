# Sourced by the tests here: `bao test` of one file of api/, only what the file itself prints.
run() {
  file=$1
  shift
  env -u CI -u CLAUDECODE -u AGENT -u REPL_ID "$@" "$BAO" test "./$file" 2>/dev/null | grep -v '^ba*[ou]n* test v'
}
