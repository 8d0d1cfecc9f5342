export type Draft<T> = T;
export interface Patch { op: string }
export function freeze<T>(value: T): T { return value; }
