// What built-in modules ask about the command line, for browsers, which have none.

export function cliOption(_name: string): boolean {
  return false;
}
