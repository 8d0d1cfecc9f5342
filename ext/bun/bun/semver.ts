// Bun.semver (https://bun.com/docs/runtime/semver).
const { semverSatisfies, semverOrder } = native("bun");

export const semver = {
  /** Whether a version is in a range of npm's; false for what is no version. */
  satisfies(version: unknown, range: unknown): boolean {
    return semverSatisfies(`${version}`, `${range}`);
  },

  /** 0 for equal versions, -1 if the second is later, 1 if the first is. Throws for what is no version. */
  order(a: unknown, b: unknown): number {
    a = `${a}`;
    b = `${b}`;
    const order = semverOrder(a as string, b as string);
    if (order > 1) throw new Error(`Invalid SemVer: ${order === 2 ? a : b}\n`);
    return order;
  },
};
