export type OnlyType = 1;
export type Both = 2;
export const Both = 2;
