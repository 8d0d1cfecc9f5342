# expected: written by hand
# Signals of faults that are sent, not caused: the process ends by them, unless they are ignored or handled, also after WebAssembly
# had faults of its own.
. support/lib.sh
ulimit -c 0
# try NAME PROGRAM: prints what the program prints, and its exit code, without the shell's own words about the signal.
try() {
  echo "--- $1"
  (cd "$dir" && "$BAO" -e "$2" </dev/null; echo "exit code $?") 2>/dev/null
}
for signal in SIGSEGV SIGILL SIGBUS SIGFPE SIGTRAP; do
  try "$signal" "process.kill(process.pid, '$signal'); setTimeout(() => console.log('goes on'), 10000)"
done
try "from another process" "
  const child = require('child_process').spawn(process.execPath, ['-e', 'console.log(1); setTimeout(() => {}, 20000)']);
  child.stdout.once('data', () => child.kill('SIGSEGV'));
  child.on('exit', (code, signal) => console.log(code, signal));"
trap '' SEGV
try "ignored" "process.kill(process.pid, 'SIGSEGV'); setImmediate(() => console.log('goes on'))"
trap - SEGV
try "handled" "process.on('SIGSEGV', () => { console.log('handled'); process.exit(3); }); process.kill(process.pid, 'SIGSEGV'); setTimeout(() => {}, 10000)"
try "after WebAssembly" "
  // (func (result i32) (i32.load (i32.const 0x7fffffff))) and one that is unreachable
  const code = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 3, 2, 0, 0, 5, 3, 1, 0, 1, 7, 9, 2, 1, 97, 0, 0, 1, 98, 0, 1,
    10, 17, 2, 11, 0, 65, 255, 255, 255, 255, 7, 40, 2, 0, 11, 3, 0, 0, 11];
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(code)));
  for (const name of ['a', 'b', 'a', 'b']) try { exports[name](); } catch (error) { console.log(error instanceof WebAssembly.RuntimeError); }
  process.kill(process.pid, 'SIGSEGV'); setTimeout(() => console.log('goes on'), 10000)"
