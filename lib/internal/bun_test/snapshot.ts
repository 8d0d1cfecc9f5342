export const stateOf = (c: any): any => ({ finish() { return {}; } });
