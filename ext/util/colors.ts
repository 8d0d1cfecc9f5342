// Whether output may be coloured, and the few sequences that messages use. Without the tty module: a question to the
// environment and to the file descriptor.

const ops = native("console");

// Bits of colour as the environment says, 1 for none.
const colorDepth = (): number => require("internal/tty/keys").getColorDepth(process.env);

/** Whether a file descriptor wants colours: FORCE_COLOR decides, else it must be a terminal and have some. */
export function fdHasColors(fd: number): boolean {
  if (process.env.FORCE_COLOR === undefined && !ops.isTty(fd)) return false;
  return colorDepth() > 2;
}

/** The same of a stream. */
export function shouldColorize(stream: { isTTY?: boolean; getColorDepth?(): number } | null | undefined): boolean {
  if (process.env.FORCE_COLOR !== undefined) return colorDepth() > 2;
  return Boolean(stream?.isTTY) && (typeof stream!.getColorDepth === "function" ? stream!.getColorDepth() > 2 : true);
}

export interface Colors {
  hasColors: boolean;
  blue: string;
  green: string;
  red: string;
  gray: string;
  white: string;
}

/** Colours for messages on standard error at this moment; empty strings when there are to be none. */
export function stderrColors(): Colors {
  const hasColors = fdHasColors(2);
  const code = (sequence: string) => (hasColors ? sequence : "");
  return {
    hasColors,
    blue: code("\u001b[34m"),
    green: code("\u001b[32m"),
    red: code("\u001b[31m"),
    gray: code("\u001b[90m"),
    // The colour that the terminal has by itself.
    white: code("\u001b[39m"),
  };
}
