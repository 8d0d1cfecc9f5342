export const level: string = typeof X === "undefined" ? "none" : `X is ${X as number}`;
export function name(): string {
  return typeof process.env.TENANT;
}
