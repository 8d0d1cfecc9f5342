// Numbers that the native half uses by the same names. Written from #[ts_constants] by
// engine/macros/src/ts_constants.rs; do not edit.

// Types of key encodings; 0 is an unknown one.
export const KEY_ENCODING_PKCS1 = 1;
export const KEY_ENCODING_PKCS8 = 2;
export const KEY_ENCODING_SEC1 = 3;
export const KEY_ENCODING_SPKI = 4;
/** PKCS#8 with the seed only (ML-DSA, ML-KEM). */
export const KEY_ENCODING_PKCS8_SEED = 5;
