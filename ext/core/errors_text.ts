// Texts of error messages that need more than %s. Loaded with the first error that needs one.

const { isArray } = Array;

function lazyInspect() {
  return require("internal/util/inspect");
}

/** `a`, `a or b`, `a, b, or c`. */
function formatList(list: string[], conjunction = "and"): string {
  const last = list.length - 1;
  if (last < 1) return list.join("");
  if (last === 1) return `${list[0]} ${conjunction} ${list[1]}`;
  return `${list.slice(0, last).join(", ")}, ${conjunction} ${list[last]}`;
}

/** What a message says it has received: `undefined`, `function f`, `an instance of C`, `type number (1)`. */
export function determineSpecificType(value: unknown): string {
  if (value == null) return `${value}`;
  if (typeof value === "function") return value.name ? `function ${value.name}` : "function ";
  if (typeof value === "object") {
    return value.constructor?.name
      ? `an instance of ${value.constructor.name}`
      : lazyInspect().inspect(value, { depth: -1 });
  }
  if (typeof value === "string") {
    const text = value.length > 28 ? `${value.slice(0, 25)}...` : value;
    return `type string (${text.includes("'") ? JSON.stringify(text) : `'${text}'`})`;
  }
  let text: string = lazyInspect().inspect(value, { colors: false });
  if (text.length > 28) text = `${text.slice(0, 25)}...`;
  return `type ${typeof value} (${text})`;
}

function addNumericalSeparator(digits: string): string {
  const start = digits[0] === "-" ? 1 : 0;
  return digits.slice(0, start) + digits.slice(start).replace(/\B(?=(\d{3})+$)/g, "_");
}

const primitiveTypes = ["string", "function", "number", "object", "Function", "Object", "boolean", "bigint", "symbol"];

function invalidArgType(name: string, expected: string | string[], actual: unknown): string {
  const types: string[] = [];
  const instances: string[] = [];
  const other: string[] = [];
  for (const item of isArray(expected) ? expected : [expected]) {
    if (primitiveTypes.includes(item)) types.push(item.toLowerCase());
    else if (/^[A-Z][a-zA-Z0-9]*$/.test(item)) instances.push(item);
    else other.push(item);
  }
  // Next to class names "object" reads better as one of them.
  const objectAt = types.indexOf("object");
  if (instances.length > 0 && objectAt >= 0) {
    types.splice(objectAt, 1);
    instances.push("Object");
  }
  const parts: string[] = [];
  if (types.length > 0) parts.push(`${types.length > 1 ? "one of type" : "of type"} ${formatList(types, "or")}`);
  if (instances.length > 0) parts.push(`an instance of ${formatList(instances, "or")}`);
  if (other.length > 1) parts.push(`one of ${formatList(other, "or")}`);
  else if (other.length === 1) parts.push(other[0]!.toLowerCase() !== other[0] ? `an ${other[0]}` : other[0]!);
  return `The ${describeName(name)} must be ${parts.join(" or ")}. Received ${determineSpecificType(actual)}`;
}

function describeName(name: string): string {
  // Names such as "first argument" stand as they are.
  if (name.endsWith(" argument")) return name;
  return `"${name}" ${name.includes(".") ? "property" : "argument"}`;
}

function outOfRange(name: string, range: string, input: unknown, replaceDefault = false): string {
  let received: string;
  if (Number.isInteger(input) && Math.abs(input as number) > 2 ** 32) {
    received = addNumericalSeparator(String(input));
  } else if (typeof input === "bigint") {
    received = String(input);
    if (input > 2n ** 32n || input < -(2n ** 32n)) received = addNumericalSeparator(received);
    received += "n";
  } else {
    received = lazyInspect().inspect(input);
  }
  const start = replaceDefault ? name : `The value of "${name}" is out of range.`;
  return `${start} It must be ${range}. Received ${received}`;
}

/** Messages that are more than a text with %s. Called with the new error as `this`. */
export function specialMessages(): Record<
  string,
  (this: NodeError & { [key: string]: unknown }, ...args: never[]) => string
> {
  return {
    ERR_ACCESS_DENIED(message: string, permission = "", resource = "") {
      this.permission = permission;
      this.resource = resource;
      return message;
    },
    ERR_BUFFER_OUT_OF_BOUNDS(name?: string) {
      return name ? `"${name}" is outside of buffer bounds` : "Attempt to access memory outside buffer bounds";
    },
    ERR_ENCODING_INVALID_ENCODED_DATA(encoding: string, errno: number) {
      this.errno = errno;
      return `The encoded data was not valid for encoding ${encoding}`;
    },
    ERR_FALSY_VALUE_REJECTION(reason: unknown) {
      this.reason = reason;
      return "Promise was rejected with falsy value";
    },
    ERR_HTTP2_INVALID_SETTING_VALUE(name: string, actual: unknown, min?: number, max?: number) {
      this.actual = actual;
      if (min !== undefined) {
        this.min = min;
        this.max = max;
      }
      return `Invalid value for setting "${name}": ${actual}`;
    },
    ERR_HTTP2_STREAM_CANCEL(cause?: Error) {
      if (!cause) return "The pending stream has been canceled";
      this.cause = cause;
      return typeof cause.message === "string"
        ? `The pending stream has been canceled (caused by: ${cause.message})`
        : "The pending stream has been canceled";
    },
    ERR_IMPORT_ATTRIBUTE_MISSING: (url, key, value) =>
      `Module "${url}" needs an import attribute of "${key}: ${value}"`,
    ERR_IMPORT_ATTRIBUTE_UNSUPPORTED: (key, value, url = undefined) =>
      `Import attribute "${key}" with value "${value}" is not supported${url === undefined ? "" : ` in ${url}`}`,
    ERR_INTERNAL_ASSERTION(message?: string) {
      const suffix = "This is caused by either a bug in bao or incorrect usage of its internals.\n";
      return message === undefined ? suffix : `${message}\n${suffix}`;
    },
    ERR_INVALID_ADDRESS_FAMILY(family: unknown, host: string, port: number) {
      this.host = host;
      this.port = port;
      return `Invalid address family: ${family} ${host}:${port}`;
    },
    ERR_INVALID_ARG_TYPE: invalidArgType,
    ERR_INVALID_ARG_VALUE(name: string, value: unknown, reason = "is invalid") {
      let text: string = lazyInspect().inspect(value);
      if (text.length > 128) text = `${text.slice(0, 128)}...`;
      return `The ${name.includes(".") ? "property" : "argument"} '${name}' ${reason}. Received ${text}`;
    },
    ERR_INVALID_CHAR: (name: string, field?: string) =>
      field === undefined ? `Invalid character in ${name}` : `Invalid character in ${name} ["${field}"]`,
    ERR_INVALID_FILE_URL_PATH(reason: string, input?: unknown) {
      if (input !== undefined) this.input = input;
      return `File URL path ${reason}`;
    },
    ERR_INVALID_MIME_SYNTAX: (production: string, text: string, at: number) =>
      `The MIME syntax for a ${production} in "${text}" is invalid${at !== -1 ? ` at ${at}` : ""}`,
    ERR_INVALID_MODULE_SPECIFIER: (request: string, reason: string, base?: string) =>
      `Invalid module "${request}" ${reason}${base ? ` imported from ${base}` : ""}`,
    ERR_INVALID_PACKAGE_CONFIG: (path: string, base?: string, message?: string) =>
      `Invalid package config ${path}${base ? ` while importing ${base}` : ""}${message ? `. ${message}` : ""}`,
    ERR_INVALID_PACKAGE_TARGET(
      packagePath: string,
      key: string,
      target: unknown,
      isImport = false,
      base: string | undefined = undefined,
    ) {
      const what = isImport ? "imports" : "exports";
      const relative = typeof target === "string" && !isImport && target.length > 0 && !target.startsWith("./");
      const start =
        key === "."
          ? `Invalid "exports" main target ${JSON.stringify(target)} defined`
          : `Invalid "${what}" target ${JSON.stringify(target)} defined for '${key}'`;
      return `${start} in the package config ${packagePath}package.json${base ? ` imported from ${base}` : ""}${
        relative ? '; targets must start with "./"' : ""
      }`;
    },
    ERR_INVALID_RETURN_PROPERTY(input, name, prop, value) {
      return `Expected a valid ${input} to be returned for the "${prop}" from the "${name}" hook but got ${determineSpecificType(
        value,
      )}.`;
    },
    ERR_INVALID_RETURN_PROPERTY_VALUE(input, name, prop, value) {
      return `Expected ${input} to be returned for the "${prop}" from the "${name}" hook but got ${determineSpecificType(
        value,
      )}.`;
    },
    ERR_INVALID_RETURN_VALUE: (input, name, value) =>
      `Expected ${input} to be returned from the "${name}" function but got ${determineSpecificType(value)}.`,
    ERR_INVALID_URL(input, base = undefined) {
      this.input = input;
      if (base != null) this.base = base;
      return "Invalid URL";
    },
    ERR_INVALID_URL_SCHEME(expected) {
      const list: string[] = typeof expected === "string" ? [expected] : expected;
      return list.length > 1
        ? `The URL must be one of scheme ${list[0]} or ${list[1]}`
        : `The URL must be of scheme ${list[0]}`;
    },
    ERR_MISSING_ARGS(...names: (string | string[])[]) {
      const quote = (name: string) => `"${name}"`;
      const list = names.map((name) => (isArray(name) ? name.map(quote).join(" or ") : quote(name)));
      return `The ${formatList(list)} argument${list.length > 1 ? "s" : ""} must be specified`;
    },
    ERR_MODULE_NOT_FOUND(path, base, exactUrl = undefined) {
      if (exactUrl) this.url = `${exactUrl}`;
      return `Cannot find ${exactUrl ? "module" : "package"} '${path}' imported from ${base}`;
    },
    ERR_OUT_OF_RANGE: outOfRange,
    ERR_PACKAGE_IMPORT_NOT_DEFINED: (specifier, packagePath, base) =>
      `Package import specifier "${specifier}" is not defined${
        packagePath ? ` in package ${packagePath}package.json` : ""
      } imported from ${base}`,
    ERR_PACKAGE_PATH_NOT_EXPORTED(packagePath, subpath, base = undefined) {
      const from = base ? ` imported from ${base}` : "";
      return subpath === "."
        ? `No "exports" main defined in ${packagePath}package.json${from}`
        : `Package subpath '${subpath}' is not defined by "exports" in ${packagePath}package.json${from}`;
    },
    ERR_PARSE_ARGS_UNKNOWN_OPTION(option, allowPositionals) {
      const hint = allowPositionals
        ? `. To specify a positional argument starting with a '-', place it at the end of the command after '--', as in '-- ${JSON.stringify(
            option,
          )}`
        : "";
      return `Unknown option '${option}'${hint}`;
    },
    ERR_REQUIRE_ASYNC_MODULE(filename?: string, parent?: string) {
      let text =
        "require() cannot be used on an ESM graph with top-level await. Use import() instead. To see where the " +
        "top-level await comes from, use --experimental-print-required-tla.";
      if (parent) text += `\n  From ${parent} `;
      if (filename) text += `\n  Requiring ${filename} `;
      return text;
    },
    ERR_REQUIRE_ESM(filename, hasEsmSyntax, parent = undefined, packageJson = undefined) {
      let text = `require() of ES Module ${filename}${parent ? ` from ${parent}` : ""} not supported.`;
      if (!packageJson) {
        if (String(filename).endsWith(".mjs")) {
          text += `\nInstead change the require of ${filename} to a dynamic import() which is available in all CommonJS modules.`;
        }
        return text;
      }
      const name = String(filename).slice(String(filename).lastIndexOf("/") + 1);
      if (hasEsmSyntax) {
        return `${text}\nInstead change the require of ${name} in ${parent} to a dynamic import() which is available in all CommonJS modules.`;
      }
      return (
        `${text}\n${name} is treated as an ES module file as it is a .js file whose nearest parent package.json ` +
        `contains "type": "module" which declares all .js files in that package scope as ES modules.\nInstead either rename ` +
        `${name} to end in .cjs, change the requiring code to use dynamic import() which is available in all CommonJS ` +
        `modules, or change "type": "module" to "type": "commonjs" in ${packageJson} to treat all .js files as CommonJS ` +
        `(using .mjs for all ES modules instead).\n`
      );
    },
    ERR_SOCKET_BAD_PORT(name: string, port: unknown, allowZero = true) {
      return `${name} should be ${allowZero ? ">=" : ">"} 0 and < 65536. Received ${determineSpecificType(port)}.`;
    },
    ERR_TEST_FAILURE(error: unknown, failureType: string) {
      let message: unknown = (error as Error | undefined)?.message ?? error;
      if (typeof message !== "string") message = lazyInspect().inspect(message);
      this.failureType = failureType;
      this.cause = error;
      return message as string;
    },
    ERR_TLS_ALPN_CALLBACK_INVALID_RESULT: (value: unknown, protocols: string[]) =>
      `ALPN callback returned a value (${value}) that did not match any of the client's offered protocols (${protocols.join(
        ", ",
      )})`,
    ERR_TLS_CERT_ALTNAME_INVALID(reason: string, host: string, cert: unknown) {
      this.reason = reason;
      this.host = host;
      this.cert = cert;
      return `Hostname/IP does not match certificate's altnames: ${reason}`;
    },
    ERR_UNHANDLED_ERROR: (error?: unknown) =>
      error === undefined ? "Unhandled error." : `Unhandled error. (${error})`,
    ERR_UNSUPPORTED_DIR_IMPORT(path: string, base: string, exactUrl: string | undefined = undefined) {
      this.url = exactUrl;
      return `Directory import '${path}' is not supported resolving ES modules imported from ${base}`;
    },
    ERR_UNSUPPORTED_ESM_URL_SCHEME(url: URL, supported: string[]) {
      return (
        `Only URLs with a scheme in: ${formatList(supported)} are supported by the default ESM loader. Received ` +
        `protocol '${url.protocol}'`
      );
    },
    ERR_VM_MODULE_LINK_FAILURE(message: string, cause: unknown) {
      this.cause = cause;
      return message;
    },
    ERR_WORKER_INVALID_EXEC_ARGV: (flags: string[], what = "invalid execArgv flags") =>
      `Initiated Worker with ${what}: ${flags.join(", ")}`,
    ERR_WORKER_PATH: (filename: string) =>
      "The worker script or module filename must be an absolute path or a relative path starting with './' or '../'." +
      (filename.startsWith("file://") ? " Wrap file:// URLs with `new URL`." : "") +
      (filename.startsWith("data:text/javascript") ? " Wrap data: URLs with `new URL`." : "") +
      ` Received "${filename}"`,
  };
}
