// What built-in modules ask of the standard streams, for browsers: the console stands for them.

export function write(_fd: number, text: string): void {
  console.error(text.replace(/\n$/, ""));
}

export function isTty(_fd: number): boolean {
  return false;
}
