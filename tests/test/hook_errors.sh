# Errors that nobody catches while a hook runs end neither it nor its tests. Recorded with BAO=bun.
. support/lib.sh
for hook in beforeAll beforeEach afterEach afterAll; do
  for error in 'setTimeout(() => { throw new Error("thrown") })' 'Promise.resolve().then(() => { throw new Error("rejected") })'; do
    echo "test('t', () => {}); $hook(async () => { $error; await Bun.sleep(20); console.log('$hook goes on'); });" >a.test.ts
    t a 2>&1 | grep -v '^ *at '
  done
done
