/** Keys of `WebView.press`, as the DevTools protocol wants them. */

import { invalidType } from "bun/util";

/** Codes of keys that are no characters. */
const codes: Record<string, number> = {
  Enter: 13,
  Tab: 9,
  Space: 32,
  Backspace: 8,
  Delete: 46,
  Escape: 27,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
  Home: 36,
  End: 35,
  PageUp: 33,
  PageDown: 34,
};

const texts: Record<string, string> = { Enter: "\r", Tab: "\t", Space: " " };
const modifierBits: Record<string, number> = { Alt: 1, Control: 2, Meta: 4, Shift: 8 };

/** The modifiers of options as bits. */
export function modifiersOf(value: unknown): number {
  if (value === undefined) return 0;
  if (!Array.isArray(value)) throw invalidType("modifiers must be an array");
  let bits = 0;
  for (const name of value as unknown[]) {
    const bit = typeof name === "string" && Object.hasOwn(modifierBits, name) ? modifierBits[name]! : undefined;
    if (bit === undefined) throw invalidType("modifiers are Shift, Control, Alt and Meta");
    bits |= bit;
  }
  return bits;
}

/** The events of a key that goes down and up again. */
export function keyEvents(key: string, modifiers: number): object[] {
  const code = codes[key];
  if (code === undefined && [...key].length !== 1) throw invalidType(`unknown key '${key}'`);
  // With Control, Alt or Meta a key types nothing.
  const text = (modifiers & ~8) !== 0 ? undefined : code === undefined ? key : texts[key];
  const common = {
    key: key === "Space" ? " " : key,
    code: code === undefined ? (/[a-z]/i.test(key) ? `Key${key.toUpperCase()}` : "") : key,
    windowsVirtualKeyCode: code ?? key.toUpperCase().charCodeAt(0),
    modifiers,
  };
  return [
    { type: text === undefined ? "rawKeyDown" : "keyDown", text, ...common },
    { type: "keyUp", ...common },
  ];
}
