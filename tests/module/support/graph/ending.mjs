import "./ends.mjs";
export const x = X;
