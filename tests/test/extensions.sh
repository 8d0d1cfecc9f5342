# What Bun lacks or does otherwise.
. ./support/api.sh
cd api
run beyond.test.js
