# What has a length; recorded from Bun 1.4.5.
. ./support/api.sh
cd api
run lengths.test.js
