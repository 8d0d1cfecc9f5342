// The browser's own URLPattern.

export const { URLPattern } = globalThis as typeof globalThis & { URLPattern: Function };
