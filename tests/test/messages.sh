# Messages of all matchers; recorded from Bun 1.4.5.
. ./support/api.sh
cd api
run messages.test.js
