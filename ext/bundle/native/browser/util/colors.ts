// Colours of messages for browsers: none.

export const fdHasColors = (): boolean => false;
export const shouldColorize = (): boolean => false;

export function stderrColors() {
  return { hasColors: false, blue: "", green: "", red: "", gray: "", white: "" };
}
