// Names, texts and numbers of the errors of system calls, as `util.getSystemErrorMap()` gives them: libuv's set, in
// libuv's order, with the numbers of the platform (negative errno, or libuv's own number where the platform has none).

// name, errno on Linux, errno on macOS, text. The numbers without a platform meaning are libuv's (-4095...).
const rows =
  "E2BIG|-7|-7|argument list too long\n" +
  "EACCES|-13|-13|permission denied\n" +
  "EADDRINUSE|-98|-48|address already in use\n" +
  "EADDRNOTAVAIL|-99|-49|address not available\n" +
  "EAFNOSUPPORT|-97|-47|address family not supported\n" +
  "EAGAIN|-11|-35|resource temporarily unavailable\n" +
  "EAI_ADDRFAMILY|-3000|-3000|address family not supported\n" +
  "EAI_AGAIN|-3001|-3001|temporary failure\n" +
  "EAI_BADFLAGS|-3002|-3002|bad ai_flags value\n" +
  "EAI_BADHINTS|-3013|-3013|invalid value for hints\n" +
  "EAI_CANCELED|-3003|-3003|request canceled\n" +
  "EAI_FAIL|-3004|-3004|permanent failure\n" +
  "EAI_FAMILY|-3005|-3005|ai_family not supported\n" +
  "EAI_MEMORY|-3006|-3006|out of memory\n" +
  "EAI_NODATA|-3007|-3007|no address\n" +
  "EAI_NONAME|-3008|-3008|unknown node or service\n" +
  "EAI_OVERFLOW|-3009|-3009|argument buffer overflow\n" +
  "EAI_PROTOCOL|-3014|-3014|resolved protocol is unknown\n" +
  "EAI_SERVICE|-3010|-3010|service not available for socket type\n" +
  "EAI_SOCKTYPE|-3011|-3011|socket type not supported\n" +
  "EALREADY|-114|-37|connection already in progress\n" +
  "EBADF|-9|-9|bad file descriptor\n" +
  "EBUSY|-16|-16|resource busy or locked\n" +
  "ECANCELED|-125|-89|operation canceled\n" +
  "ECHARSET|-4080|-4080|invalid Unicode character\n" +
  "ECONNABORTED|-103|-53|software caused connection abort\n" +
  "ECONNREFUSED|-111|-61|connection refused\n" +
  "ECONNRESET|-104|-54|connection reset by peer\n" +
  "EDESTADDRREQ|-89|-39|destination address required\n" +
  "EEXIST|-17|-17|file already exists\n" +
  "EFAULT|-14|-14|bad address in system call argument\n" +
  "EFBIG|-27|-27|file too large\n" +
  "EHOSTUNREACH|-113|-65|host is unreachable\n" +
  "EINTR|-4|-4|interrupted system call\n" +
  "EINVAL|-22|-22|invalid argument\n" +
  "EIO|-5|-5|i/o error\n" +
  "EISCONN|-106|-56|socket is already connected\n" +
  "EISDIR|-21|-21|illegal operation on a directory\n" +
  "ELOOP|-40|-62|too many symbolic links encountered\n" +
  "EMFILE|-24|-24|too many open files\n" +
  "EMSGSIZE|-90|-40|message too long\n" +
  "ENAMETOOLONG|-36|-63|name too long\n" +
  "ENETDOWN|-100|-50|network is down\n" +
  "ENETUNREACH|-101|-51|network is unreachable\n" +
  "ENFILE|-23|-23|file table overflow\n" +
  "ENOBUFS|-105|-55|no buffer space available\n" +
  "ENODEV|-19|-19|no such device\n" +
  "ENOENT|-2|-2|no such file or directory\n" +
  "ENOMEM|-12|-12|not enough memory\n" +
  "ENONET|-64|-4056|machine is not on the network\n" +
  "ENOPROTOOPT|-92|-42|protocol not available\n" +
  "ENOSPC|-28|-28|no space left on device\n" +
  "ENOSYS|-38|-78|function not implemented\n" +
  "ENOTCONN|-107|-57|socket is not connected\n" +
  "ENOTDIR|-20|-20|not a directory\n" +
  "ENOTEMPTY|-39|-66|directory not empty\n" +
  "ENOTSOCK|-88|-38|socket operation on non-socket\n" +
  "ENOTSUP|-95|-45|operation not supported on socket\n" +
  "EOVERFLOW|-75|-84|value too large for defined data type\n" +
  "EPERM|-1|-1|operation not permitted\n" +
  "EPIPE|-32|-32|broken pipe\n" +
  "EPROTO|-71|-100|protocol error\n" +
  "EPROTONOSUPPORT|-93|-43|protocol not supported\n" +
  "EPROTOTYPE|-91|-41|protocol wrong type for socket\n" +
  "ERANGE|-34|-34|result too large\n" +
  "EROFS|-30|-30|read-only file system\n" +
  "ESHUTDOWN|-108|-58|cannot send after transport endpoint shutdown\n" +
  "ESPIPE|-29|-29|invalid seek\n" +
  "ESRCH|-3|-3|no such process\n" +
  "ETIMEDOUT|-110|-60|connection timed out\n" +
  "ETXTBSY|-26|-26|text file is busy\n" +
  "EXDEV|-18|-18|cross-device link not permitted\n" +
  "UNKNOWN|-4094|-4094|unknown error\n" +
  "EOF|-4095|-4095|end of file\n" +
  "ENXIO|-6|-6|no such device or address\n" +
  "EMLINK|-31|-31|too many links\n" +
  "EHOSTDOWN|-112|-64|host is down\n" +
  "EREMOTEIO|-121|-4030|remote I/O error\n" +
  "ENOTTY|-25|-25|inappropriate ioctl for device\n" +
  "EFTYPE|-4028|-79|inappropriate file type or format\n" +
  "EILSEQ|-84|-92|illegal byte sequence\n" +
  "ESOCKTNOSUPPORT|-94|-44|socket type not supported\n" +
  "ENODATA|-61|-96|no data available\n" +
  "EUNATCH|-49|-4023|protocol driver not attached";

let numbers: Map<number, [string, string]> | undefined;
let names: Map<string, number> | undefined;

function build() {
  numbers = new Map();
  names = new Map();
  const column = process.platform === "darwin" ? 2 : 1;
  for (const row of rows.split("\n")) {
    const parts = row.split("|");
    const errno = Number(parts[column]);
    numbers.set(errno, [parts[0]!, parts[3]!]);
    names.set(parts[0]!, errno);
  }
}

/** Map of negative errno to `[name, text]`. */
export function map(): Map<number, [string, string]> {
  if (numbers === undefined) build();
  return numbers!;
}
