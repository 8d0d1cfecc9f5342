# Bytes, strings, URLs, hashes and inspection, under stress.
sh support/stress.sh 1 buffer/bytes.js buffer/encodings.js buffer/decoders.js buffer/blobs.js buffer/long.js url/whatwg.js url/legacy.js \
  util/json_stringify.js util/inspect.js util/format.js util/parts.js v8/serdes.js console/methods.js
sh support/stress.sh 2 crypto/hashes.js crypto/random.js
# Many comparisons: half a minute of collections at every call.
sh support/stress.sh 7 util/deep_equal_data.js
