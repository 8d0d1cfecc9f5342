// The browser's own functions, which take no other `this` than the global object.

export const atob = (text: string): string => globalThis.atob(text);
export const btoa = (text: string): string => globalThis.btoa(text);
