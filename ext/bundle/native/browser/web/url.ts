// The browser's own URL.

export const { URL } = globalThis as typeof globalThis & { URL: Function };
