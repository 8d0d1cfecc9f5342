# Mocks of modules that do not exist; recorded from Bun 1.4.5.
. ./support/api.sh
cd api
run virtual_mocks.test.ts
