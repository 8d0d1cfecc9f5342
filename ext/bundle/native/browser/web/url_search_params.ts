// The browser's own URLSearchParams.

export const { URLSearchParams } = globalThis as typeof globalThis & { URLSearchParams: Function };
