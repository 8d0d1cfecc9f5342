// The browser's own encoder and decoder.

export const { TextDecoder, TextEncoder } = globalThis;
