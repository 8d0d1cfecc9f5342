// Names of headers in lower case: the same few come again and again.

const lowerNames = new Map<string, string>();

/** `name` in lower case. */
export function lower(name: string): string {
  let result = lowerNames.get(name);
  if (result === undefined) {
    result = name.toLowerCase();
    if (lowerNames.size < 500) lowerNames.set(name, result);
  }
  return result;
}
