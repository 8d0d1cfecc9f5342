/** Numbers of errors in WASI preview 1 (https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md#errno). */

const NAMES =
  "SUCCESS 2BIG ACCES ADDRINUSE ADDRNOTAVAIL AFNOSUPPORT AGAIN ALREADY BADF BADMSG BUSY CANCELED CHILD CONNABORTED " +
  "CONNREFUSED CONNRESET DEADLK DESTADDRREQ DOM DQUOT EXIST FAULT FBIG HOSTUNREACH IDRM ILSEQ INPROGRESS INTR INVAL IO " +
  "ISCONN ISDIR LOOP MFILE MLINK MSGSIZE MULTIHOP NAMETOOLONG NETDOWN NETRESET NETUNREACH NFILE NOBUFS NODEV NOENT NOEXEC " +
  "NOLCK NOLINK NOMEM NOMSG NOPROTOOPT NOSPC NOSYS NOTCONN NOTDIR NOTEMPTY NOTRECOVERABLE NOTSOCK NOTSUP NOTTY NXIO " +
  "OVERFLOW OWNERDEAD PERM PIPE PROTO PROTONOSUPPORT PROTOTYPE RANGE ROFS SPIPE SRCH STALE TIMEDOUT TXTBSY XDEV NOTCAPABLE";

const numbers = new Map(NAMES.split(" ").map((name, number) => [`E${name}`, number]));

/** What a function refuses to do; the program gets the number of `name` ("EBADF"). */
export class Refusal {
  name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** The number for what a function threw. Throws again what is no error of a system call. */
export function errnoOf(error: unknown): number {
  if (error instanceof Refusal) return numbers.get(error.name)!;
  const { code } = error as NodeError;
  const number = code === undefined ? undefined : numbers.get(code);
  if (number !== undefined) return number;
  // A view outside of the memory.
  if (error instanceof RangeError) return numbers.get("EOVERFLOW")!;
  throw error;
}
