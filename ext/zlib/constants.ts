// `zlib.constants` and `zlib.codes`: the numbers of zlib, Brotli and Zstandard under their own names
// (https://nodejs.org/api/zlib.html#constants).

/** Names with numbers that go up by one from the first. */
function count(target: { [key: string]: number }, first: number, step: number, prefix: string, names: string): void {
  let value = first;
  for (const name of names.split(" ")) {
    // A hole in the numbers is a dash.
    if (name !== "-") target[prefix + name] = value;
    value += step;
  }
}

/** Names with numbers of their own: "NAME=1 OTHER=2". */
function list(target: { [key: string]: number }, prefix: string, pairs: string): void {
  for (const pair of pairs.split(" ")) {
    const at = pair.indexOf("=");
    target[prefix + pair.slice(0, at)] = Number(pair.slice(at + 1));
  }
}

export const constants: { [name: string]: number } = Object.create(null);
const c = constants;
count(c, 0, 1, "Z_", "NO_FLUSH PARTIAL_FLUSH SYNC_FLUSH FULL_FLUSH FINISH BLOCK");
count(c, 0, 1, "Z_", "OK STREAM_END NEED_DICT");
count(c, -1, -1, "Z_", "ERRNO STREAM_ERROR DATA_ERROR MEM_ERROR BUF_ERROR VERSION_ERROR");
list(c, "Z_", "NO_COMPRESSION=0 BEST_SPEED=1 BEST_COMPRESSION=9 DEFAULT_COMPRESSION=-1");
count(c, 1, 1, "Z_", "FILTERED HUFFMAN_ONLY RLE FIXED");
list(c, "", "Z_DEFAULT_STRATEGY=0 ZLIB_VERNUM=4880");
count(
  c,
  1,
  1,
  "",
  "DEFLATE INFLATE GZIP GUNZIP DEFLATERAW INFLATERAW UNZIP BROTLI_DECODE BROTLI_ENCODE ZSTD_COMPRESS ZSTD_DECOMPRESS",
);
list(
  c,
  "Z_",
  "MIN_WINDOWBITS=8 MAX_WINDOWBITS=15 DEFAULT_WINDOWBITS=15 MIN_CHUNK=64 MAX_CHUNK=Infinity " +
    "DEFAULT_CHUNK=16384 MIN_MEMLEVEL=1 MAX_MEMLEVEL=9 DEFAULT_MEMLEVEL=8 MIN_LEVEL=-1 MAX_LEVEL=9 DEFAULT_LEVEL=-1",
);

count(c, 0, 1, "BROTLI_OPERATION_", "PROCESS FLUSH FINISH EMIT_METADATA");
list(
  c,
  "BROTLI_",
  "PARAM_MODE=0 MODE_GENERIC=0 MODE_TEXT=1 MODE_FONT=2 DEFAULT_MODE=0 PARAM_QUALITY=1 MIN_QUALITY=0 " +
    "MAX_QUALITY=11 DEFAULT_QUALITY=11 PARAM_LGWIN=2 MIN_WINDOW_BITS=10 MAX_WINDOW_BITS=24 LARGE_MAX_WINDOW_BITS=30 " +
    "DEFAULT_WINDOW=22 PARAM_LGBLOCK=3 MIN_INPUT_BLOCK_BITS=16 MAX_INPUT_BLOCK_BITS=24",
);
count(c, 4, 1, "BROTLI_PARAM_", "DISABLE_LITERAL_CONTEXT_MODELING SIZE_HINT LARGE_WINDOW NPOSTFIX NDIRECT");
count(c, 0, 1, "BROTLI_DECODER_RESULT_", "ERROR SUCCESS NEEDS_MORE_INPUT NEEDS_MORE_OUTPUT");
count(c, 0, 1, "BROTLI_DECODER_PARAM_", "DISABLE_RING_BUFFER_REALLOCATION LARGE_WINDOW");
count(c, 0, 1, "BROTLI_DECODER_", "NO_ERROR SUCCESS NEEDS_MORE_INPUT NEEDS_MORE_OUTPUT");
count(
  c,
  -1,
  -1,
  "BROTLI_DECODER_ERROR_",
  "FORMAT_EXUBERANT_NIBBLE FORMAT_RESERVED FORMAT_EXUBERANT_META_NIBBLE " +
    "FORMAT_SIMPLE_HUFFMAN_ALPHABET FORMAT_SIMPLE_HUFFMAN_SAME FORMAT_CL_SPACE FORMAT_HUFFMAN_SPACE " +
    "FORMAT_CONTEXT_MAP_REPEAT FORMAT_BLOCK_LENGTH_1 FORMAT_BLOCK_LENGTH_2 FORMAT_TRANSFORM FORMAT_DICTIONARY " +
    "FORMAT_WINDOW_BITS FORMAT_PADDING_1 FORMAT_PADDING_2 FORMAT_DISTANCE FORMAT_BLOCK_SWITCH - DICTIONARY_NOT_SET " +
    "INVALID_ARGUMENTS ALLOC_CONTEXT_MODES ALLOC_TREE_GROUPS - - ALLOC_CONTEXT_MAP ALLOC_RING_BUFFER_1 " +
    "ALLOC_RING_BUFFER_2 - - ALLOC_BLOCK_TYPE_TREES UNREACHABLE",
);

count(c, 0, 1, "ZSTD_e_", "continue flush end");
count(c, 1, 1, "ZSTD_", "fast dfast greedy lazy lazy2 btlazy2 btopt btultra btultra2");
count(c, 100, 1, "ZSTD_c_", "compressionLevel windowLog hashLog chainLog searchLog minMatch targetLength strategy");
count(c, 160, 1, "ZSTD_c_", "enableLongDistanceMatching ldmHashLog ldmMinMatch ldmBucketSizeLog ldmHashRateLog");
count(c, 200, 1, "ZSTD_c_", "contentSizeFlag checksumFlag dictIDFlag");
count(c, 400, 1, "ZSTD_c_", "nbWorkers jobSize overlapLog");
list(c, "ZSTD_", "d_windowLogMax=100 CLEVEL_DEFAULT=3");
list(
  c,
  "ZSTD_error_",
  "no_error=0 GENERIC=1 prefix_unknown=10 version_unsupported=12 frameParameter_unsupported=14 " +
    "frameParameter_windowTooLarge=16 corruption_detected=20 checksum_wrong=22 literals_headerWrong=24 " +
    "dictionary_corrupted=30 dictionary_wrong=32 dictionaryCreation_failed=34 parameter_unsupported=40 " +
    "parameter_combination_unsupported=41 parameter_outOfBound=42 tableLog_tooLarge=44 maxSymbolValue_tooLarge=46 " +
    "maxSymbolValue_tooSmall=48 stabilityCondition_notRespected=50 stage_wrong=60 init_missing=62 " +
    "memory_allocation=64 workSpace_tooSmall=66 dstSize_tooSmall=70 srcSize_wrong=72 dstBuffer_null=74 " +
    "noForwardProgress_destFull=80 noForwardProgress_inputEmpty=82",
);
Object.freeze(c);

/** zlib's return codes, by name and by number. */
export const codes: { [name: string]: number | string } = {};
for (const name of "Z_OK Z_STREAM_END Z_NEED_DICT Z_ERRNO Z_STREAM_ERROR Z_DATA_ERROR Z_MEM_ERROR Z_BUF_ERROR Z_VERSION_ERROR".split(
  " ",
)) {
  codes[name] = c[name];
}
for (const name of Object.keys(codes)) codes[codes[name]] = name;
Object.freeze(codes);
