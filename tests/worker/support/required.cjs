globalThis.required = 1;
