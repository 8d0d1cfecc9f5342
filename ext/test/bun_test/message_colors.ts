// Colours of messages, where they are wanted.

/** Set with the context of a file. */
export const colors = { enabled: false };

const sgr =
  (code: number) =>
  (text: string): string =>
    colors.enabled ? `\x1b[${code}m${text}\x1b[0m` : text;
export const green = sgr(32);
export const red = sgr(31);
export const dim = sgr(2);
