// What ends a command or a shell before its time, and the words of the system for errors.

/** The mistake of a script while it runs: the command fails with this message. */
class ShellFailure extends Error {
  code: number;
  /** It ends the shell environment, too: a parameter that has to be set is not. */
  fatal: boolean;

  constructor(message: string, code = 1, fatal = false) {
    super(message);
    this.code = code;
    this.fatal = fatal;
  }
}

/** `exit`: ends the shell environment. */
class Exit {
  code: number;

  constructor(code: number) {
    this.code = code;
  }
}

/** `break`, `continue` and `return`. */
class Jump {
  kind: "break" | "continue" | "return";
  levels: number;
  code: number;

  constructor(kind: "break" | "continue" | "return", levels: number, code = 0) {
    this.kind = kind;
    this.levels = levels;
    this.code = code;
  }
}

const MESSAGES: Record<string, string> = {
  EACCES: "Permission denied",
  EEXIST: "File exists",
  EISDIR: "Is a directory",
  ELOOP: "Too many levels of symbolic links",
  ENAMETOOLONG: "File name too long",
  ENOENT: "No such file or directory",
  ENOSPC: "No space left on device",
  ENOTDIR: "Not a directory",
  ENOTEMPTY: "Directory not empty",
  ENXIO: "No such device or address",
  EPERM: "Operation not permitted",
  EROFS: "Read-only file system",
  EXDEV: "Invalid cross-device link",
  EBADF: "Bad file descriptor",
  EPIPE: "Broken pipe",
  EIO: "Input/output error",
  E2BIG: "Argument list too long",
  ETXTBSY: "Text file busy",
  EMFILE: "Too many open files",
  EBUSY: "Device or resource busy",
};

/** What the system says of an error by its code. */
export function messageOf(code: string | undefined): string {
  return (code !== undefined && MESSAGES[code]) || code || "Unknown error";
}

/** What the system says of a negative errno. */
export function describe(errno: number): string {
  const name = require("node:util").getSystemErrorName(errno);
  return messageOf(name);
}

export { Exit, Jump, ShellFailure };
