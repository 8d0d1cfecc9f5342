export const value = "a file";
