// Numbers of system errors for browsers, which have none.

export function map(): Map<number, [name: string, message: string]> {
  return new Map();
}
