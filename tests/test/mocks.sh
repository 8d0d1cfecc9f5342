# Mock functions, spies, fake timers; recorded from Bun 1.4.5.
. ./support/api.sh
cd api
run doubles.test.js
