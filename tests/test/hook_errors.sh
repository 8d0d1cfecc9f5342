# Errors that nobody catches while a hook runs end neither it nor its tests; an afterAll that fails is the last of its block. Recorded with BAO=bun.
. support/lib.sh
for hook in beforeAll beforeEach afterEach afterAll; do
  for error in 'setTimeout(() => { throw new Error("thrown") })' 'Promise.resolve().then(() => { throw new Error("rejected") })'; do
    echo "test('t', () => {}); $hook(async () => { $error; await Bun.sleep(20); console.log('$hook goes on'); });" >a.test.ts
    t a 2>&1 | grep -v '^ *at '
  done
done
file b.test.ts <<'TS'
describe("x", () => {
  afterAll(() => { throw new Error("first"); });
  afterAll(() => console.log("second of x"));
  test("t", () => {});
});
afterAll(() => console.log("of the file"));
TS
t b
