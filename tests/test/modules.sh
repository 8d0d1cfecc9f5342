# mock.module, vi.mock, jest.mock: beyond what Bun does (restoring, spies on namespaces, importOriginal).
. ./support/api.sh
cd api
run modules.test.js
"$BAO" test ./modules.test.js ./modules_after.test.js 2>/dev/null | tail -n 1
