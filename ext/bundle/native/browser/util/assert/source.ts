// The source of a failed assertion for browsers: a bundle is not what was written.

export function callExpression(): undefined {
  return undefined;
}
